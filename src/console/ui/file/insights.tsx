// What a transcript is about: summary, people, places, subjects – and answers to questions, each with its moment.

import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Analysis } from '../api-types.ts'
import { Button } from '../components/button.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { clock } from '../format.ts'
import { type Analysed, type Answered, ask, knownOf, summarise } from './analysis.ts'

export interface InsightsProps {
  readonly what: Analysed
  /** Absent where there is nothing to play. */
  readonly onJump?: ((seconds: number) => void) | undefined
}

export function Insights({ what, onJump }: InsightsProps): JSX.Element {
  const { summary, engine, answers } = knownOf(what)
  const [question, setQuestion] = useState('')
  const submit = async (): Promise<void> => {
    await ask(what, question.trim())
    setQuestion('')
  }
  return (
    <div class="insights">
      <section class="card" aria-labelledby="ask-title">
        <h2 id="ask-title">Ask</h2>
        {answers.length > 0 && (
          <ol class="answers" aria-live="polite">
            {answers.map((answered) => (
              <Answer key={answered.question} answered={answered} onJump={onJump} />
            ))}
          </ol>
        )}
        <Form action="Ask" isReady={question.trim() !== ''} onSubmit={submit}>
          <Field
            label="Your question"
            placeholder="What was decided?"
            value={question}
            onInput={setQuestion}
            maxLength={2_000}
          />
        </Form>
      </section>
      <section class="card" aria-labelledby="summary-title">
        <h2 id="summary-title">Summary</h2>
        {summary ? (
          <SummaryText analysis={summary} />
        ) : (
          <>
            <p class="soft">
              Summary, people, places and subjects. Costs one analysis request the first time.
            </p>
            <Button onPress={() => summarise(what)}>Summarise</Button>
          </>
        )}
        {engine && (
          <p class="soft small">
            {engine.name === 'builtin'
              ? 'Made by the built-in engine, from sentences of the transcript. A language model writes freer ones: see Settings.'
              : `Made by ${engine.model ?? engine.name}.`}
          </p>
        )}
      </section>
    </div>
  )
}

function Answer({
  answered: { question, answer, atS, quoted },
  onJump,
}: {
  readonly answered: Answered
  readonly onJump: InsightsProps['onJump']
}): JSX.Element {
  return (
    <li>
      <p class="question">{question}</p>
      <p>{answer}</p>
      {quoted !== '' && quoted !== answer && atS !== undefined && <blockquote>{quoted}</blockquote>}
      {atS !== undefined && onJump && (
        <Button icon="play" onPress={() => onJump(atS)}>
          Play from {clock(atS)}
        </Button>
      )}
    </li>
  )
}

function SummaryText({ analysis }: { readonly analysis: Analysis }): JSX.Element {
  const { summary, people, places, key_subjects } = analysis
  return (
    <>
      <p>{summary === '' ? 'There is too little speech for a summary.' : summary}</p>
      <Names title="People" count={people.length}>
        {people.map(({ name, context }) => (
          <Name key={name} name={name} about={context} />
        ))}
      </Names>
      <Names title="Places" count={places.length}>
        {places.map(({ name, context }) => (
          <Name key={name} name={name} about={context} />
        ))}
      </Names>
      <Names title="Subjects" count={key_subjects.length}>
        {key_subjects.map(({ name, description }) => (
          <Name key={name} name={name} about={description} />
        ))}
      </Names>
    </>
  )
}

interface NamesProps {
  readonly title: string
  readonly count: number
  readonly children: ComponentChildren
}

function Names({ title, count, children }: NamesProps): JSX.Element | null {
  if (count === 0) return null
  return (
    <div class="names">
      <h3>{title}</h3>
      <dl>{children}</dl>
    </div>
  )
}

function Name({ name, about }: { readonly name: string; readonly about: string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      {about !== '' && <dd>{about}</dd>}
    </div>
  )
}
