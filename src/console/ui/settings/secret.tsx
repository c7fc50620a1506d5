// The end of a dialog that made a key or secret: it is shown this once.

import type { ComponentChildren, JSX } from 'preact'
import { Button, CopyButton } from '../components/button.tsx'
import { Notice } from '../components/states.tsx'

export interface SecretProps {
  /** What it is, such as "API key". */
  readonly name: string
  readonly text: string
  readonly children?: ComponentChildren
  readonly onDone: () => void
}

export function Secret({ name, text, children, onDone }: SecretProps): JSX.Element {
  return (
    <>
      <Notice kind="warning">Copy it now and keep it safe: it is not shown here again.</Notice>
      <div class="row">
        <code class="secret-text" aria-label={name}>
          {text}
        </code>
        <CopyButton text={text} label={`Copy ${name}`} />
      </div>
      {children}
      <footer>
        <Button kind="primary" onPress={onDone}>
          Done
        </Button>
      </footer>
    </>
  )
}
