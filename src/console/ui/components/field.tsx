// Form fields: a label that belongs to its control, a hint and an error that are read with it.

import type { JSX, RefObject } from 'preact'
import { useId } from 'preact/hooks'

interface Labelled {
  readonly label: string
  readonly hint?: string | undefined
  readonly error?: string | undefined
  /** The label is read out, but not shown: where the place makes clear what the field is. */
  readonly isLabelHidden?: boolean
}

export interface FieldProps extends Labelled {
  readonly value: string
  readonly onInput: (value: string) => void
  readonly type?: 'text' | 'search' | 'url' | 'password' | 'number' | 'date'
  readonly placeholder?: string
  readonly isRequired?: boolean
  readonly autocomplete?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly inputRef?: RefObject<HTMLInputElement | null>
  readonly onKeyDown?: (event: KeyboardEvent) => void
}

export function Field(props: FieldProps): JSX.Element {
  const id = useId()
  return (
    <Frame id={id} {...props}>
      <input
        id={id}
        // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- Preact pairs each type with its roles: too many pairs for the compiler.
        type={(props.type ?? 'text') as 'text'}
        value={props.value}
        placeholder={props.placeholder}
        required={props.isRequired ?? false}
        autocomplete={props.autocomplete ?? 'off'}
        minLength={props.minLength}
        maxLength={props.maxLength}
        spellcheck={false}
        onInput={(event) => props.onInput(event.currentTarget.value)}
        {...(props.onKeyDown ? { onKeyDown: props.onKeyDown } : {})}
        {...(props.inputRef ? { ref: props.inputRef } : {})}
        {...descriptionOf(id, props)}
      />
    </Frame>
  )
}

export interface SelectProps extends Labelled {
  readonly value: string
  readonly onInput: (value: string) => void
  readonly options: readonly { readonly value: string; readonly label: string }[]
}

export function Select(props: SelectProps): JSX.Element {
  const id = useId()
  return (
    <Frame id={id} {...props}>
      <select
        id={id}
        value={props.value}
        onInput={(event) => props.onInput(event.currentTarget.value)}
        {...descriptionOf(id, props)}
      >
        {props.options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </Frame>
  )
}

export interface CheckboxProps {
  readonly label: string
  readonly checked: boolean
  readonly disabled?: boolean
  readonly onInput: (checked: boolean) => void
}

export function Checkbox({ label, checked, disabled = false, onInput }: CheckboxProps): JSX.Element {
  const id = useId()
  return (
    <div class="checkbox">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onInput={(event) => onInput(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
    </div>
  )
}

function descriptionOf(
  id: string,
  { hint, error }: Labelled,
): { 'aria-describedby'?: string; 'aria-invalid'?: true } {
  const described = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(error === undefined ? [] : [`${id}-error`]),
  ]
  return {
    ...(described.length === 0 ? {} : { 'aria-describedby': described.join(' ') }),
    ...(error === undefined ? {} : { 'aria-invalid': true }),
  }
}

function Frame({ id, children, ...props }: Labelled & { id: string; children: JSX.Element }): JSX.Element {
  return (
    <div class="field">
      <label for={id} class={props.isLabelHidden ? 'visually-hidden' : undefined}>
        {props.label}
      </label>
      {children}
      {props.hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {props.hint}
        </p>
      )}
      {props.error !== undefined && (
        <p id={`${id}-error`} class="field-error" role="alert">
          {props.error}
        </p>
      )}
    </div>
  )
}
