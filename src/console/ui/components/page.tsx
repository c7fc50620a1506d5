// The frame of a page: its title in the window and as the heading that gets the focus when the reader arrives.

import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { movesFocus } from '../router.ts'

export interface PageProps {
  readonly title: string
  /** Beside the heading. */
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
  /** What identifies the page among those of its kind: a new one is announced anew. */
  readonly about?: string
}

export function Page({ title, actions, children, about }: PageProps): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Earshot`
  }, [title])
  useEffect(() => {
    if (movesFocus()) heading.current?.focus({ preventScroll: true })
  }, [about])
  return (
    <main id="main" class="page">
      <header class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </main>
  )
}
