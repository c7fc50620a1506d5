// What stands where content is not there yet, is not there at all, or went wrong – each with what to do next.

import type { ComponentChildren, JSX } from 'preact'
import type { Loaded } from '../data.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

export interface NoticeProps {
  readonly kind?: 'info' | 'warning' | 'error'
  readonly children: ComponentChildren
}

/** A message in its place on the page; errors are read out. */
export function Notice({ kind = 'info', children }: NoticeProps): JSX.Element {
  return (
    <div class={`notice ${kind}`} role={kind === 'error' ? 'alert' : undefined}>
      {kind !== 'info' && <Icon name="warning" size={18} />}
      <div>{children}</div>
    </div>
  )
}

export interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  readonly children?: ComponentChildren
}

export function Empty({ icon, title, children }: EmptyProps): JSX.Element {
  return (
    <div class="empty">
      <Icon name={icon} size={36} />
      <h2>{title}</h2>
      {children}
    </div>
  )
}

export function Loading({ what = 'Loading' }: { readonly what?: string }): JSX.Element {
  return (
    <p class="loading" role="status">
      <span class="spinner" aria-hidden="true" /> {what} …
    </p>
  )
}

export interface ProgressProps {
  /** 0 to 1; undefined: at work, nobody knows how far. */
  readonly value: number | undefined
  readonly label: string
}

export function Progress({ value, label }: ProgressProps): JSX.Element {
  return value === undefined ? (
    <progress class="progress" aria-label={label} />
  ) : (
    <progress class="progress" aria-label={label} max={100} value={Math.round(value * 100)} />
  )
}

export interface ShownProps<T> {
  readonly of: Loaded<T>
  readonly what?: string
  readonly children: (data: T) => ComponentChildren
}

/** The data once it is there; before that, that it is loading, or why it did not come and a way to try again. */
export function Shown<T>({ of, what, children }: ShownProps<T>): JSX.Element {
  if (of.data !== undefined) return <>{children(of.data)}</>
  if (!of.error) return <Loading {...(what === undefined ? {} : { what })} />
  return (
    <Notice kind="error">
      <p>{of.error.message}</p>
      <Button icon="retry" onPress={of.reload}>
        Try again
      </Button>
    </Notice>
  )
}
