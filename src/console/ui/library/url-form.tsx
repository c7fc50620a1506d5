// An address pasted from the browser becomes a transcript.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { openTranscript } from './open-transcript.ts'

export function UrlForm(): JSX.Element {
  const [url, setUrl] = useState('')
  return (
    <Form
      class="url-form"
      action="Transcribe"
      isReady={url.trim() !== ''}
      onSubmit={() => openTranscript(url.trim())}
    >
      <Field
        label="Or transcribe an online video"
        type="url"
        placeholder="https://…"
        value={url}
        onInput={setUrl}
      />
    </Form>
  )
}
