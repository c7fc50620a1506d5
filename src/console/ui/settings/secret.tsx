// A key or secret that is shown this once.

import type { JSX } from 'preact'
import { CopyButton } from '../components/button.tsx'
import { Notice } from '../components/states.tsx'

export interface SecretProps {
  /** What it is, such as "API key". */
  readonly name: string
  readonly text: string
}

export function Secret({ name, text }: SecretProps): JSX.Element {
  return (
    <div class="secret stack">
      <Notice kind="warning">Copy it now and keep it safe: it is not shown here again.</Notice>
      <div class="row">
        <code class="secret-text" aria-label={name}>
          {text}
        </code>
        <CopyButton text={text} label={`Copy ${name}`} />
      </div>
    </div>
  )
}
