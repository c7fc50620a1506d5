// One box over everything that was said, by meaning and by words: in the account's files, or in online videos.

import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Notice, Shown } from '../components/states.tsx'
import { useData } from '../data.ts'
import { plural } from '../format.ts'
import { navigate, place } from '../router.ts'
import { Hit } from './hit.tsx'
import { forgetAnswer, searchFiles, searchVideos, type Where } from './results.ts'
import { VideoHit } from './video-hit.tsx'

export function SearchPage(): JSX.Element {
  const { query: asked } = place.value
  const query = asked.get('q')?.trim() ?? ''
  const where: Where = asked.get('in') === 'videos' ? 'videos' : 'files'
  const [text, setText] = useState(query)
  useEffect(() => setText(query), [query])
  const submit = async (): Promise<void> => {
    forgetAnswer(where, text.trim())
    go(text.trim(), where)
  }
  return (
    <Page title="Search">
      <Form class="search-form" action="Search" isReady={text.trim() !== ''} onSubmit={submit}>
        <Field
          label="What was said?"
          isLabelHidden
          type="search"
          placeholder="What was said? Ask in your own words"
          value={text}
          onInput={setText}
          maxLength={2_000}
        />
      </Form>
      <div class="row">
        <div class="segmented" role="group" aria-label="Where to search">
          <Button kind="quiet" pressed={where === 'files'} onPress={() => go(text.trim(), 'files')}>
            Your files
          </Button>
          <Button kind="quiet" pressed={where === 'videos'} onPress={() => go(text.trim(), 'videos')}>
            Online videos
          </Button>
        </div>
      </div>
      <Answer key={`${where} ${query}`} query={query} where={where} />
    </Page>
  )
}

function go(query: string, where: Where): void {
  const parts = { ...(query === '' ? {} : { q: query }), ...(where === 'files' ? {} : { in: where }) }
  const search = new URLSearchParams(parts).toString()
  navigate(search === '' ? '/search' : `/search?${search}`)
}

interface AnswerProps {
  readonly query: string
  readonly where: Where
}

function Answer({ query, where }: AnswerProps): JSX.Element {
  if (query !== '') return where === 'files' ? <Files query={query} /> : <Videos query={query} />
  return where === 'files' ? (
    <Empty icon="search" title="Search everything that was said">
      <p>
        A question, a few words, half a memory: files are found by meaning and by words, each with the moment
        to play from. One search costs a search request.
      </p>
    </Empty>
  ) : (
    <Empty icon="search" title="Search what is said in online videos">
      <p>
        The videos that you had transcribed and those of indexed channels – and, while it can be reached, the
        video platform itself. That takes up to half a minute and costs analysis requests; what is not found
        costs nothing.
      </p>
    </Empty>
  )
}

function Files({ query }: { readonly query: string }): JSX.Element {
  const loaded = useData(`files ${query}`, (signal) => searchFiles(query, signal))
  return (
    <Shown of={loaded} what="Searching">
      {({ results, total_found, explanation }) => (
        <Results shown={results.length} found={total_found} noun="file" explanation={explanation}>
          {results.map((found) => (
            <Hit key={found.id} found={found} query={query} />
          ))}
        </Results>
      )}
    </Shown>
  )
}

function Videos({ query }: { readonly query: string }): JSX.Element {
  const loaded = useData(`videos ${query}`, (signal) => searchVideos(query, signal))
  return (
    <Shown of={loaded} what="Searching, for up to half a minute">
      {({ data: { results, total_found, explanation }, remark }) => (
        <>
          {remark !== '' && <Notice kind="warning">{remark}</Notice>}
          <Results shown={results.length} found={total_found} noun="video" explanation={explanation}>
            {results.map((video) => (
              <VideoHit key={video.url} video={video} query={query} />
            ))}
          </Results>
        </>
      )}
    </Shown>
  )
}

interface ResultsProps {
  readonly shown: number
  readonly found: number
  readonly noun: string
  readonly explanation: string
  readonly children: ComponentChildren
}

function Results({ shown, found, noun, explanation, children }: ResultsProps): JSX.Element {
  if (shown === 0) {
    return (
      <Empty icon="search" title="Nobody said that, as far as can be heard">
        <p role="status">
          Nothing was found. Try other words, or fewer. New files can be found a few moments after they are
          done: see the <a href="/library">library</a>.
        </p>
        <p class="small">{explanation}</p>
      </Empty>
    )
  }
  return (
    <section class="stack" aria-label="Results">
      <p role="status">
        {found > shown ? `The best ${shown} of ${plural(found, noun)}` : plural(found, noun)}
      </p>
      <ol class="hits">{children}</ol>
      <p class="soft small">{explanation}</p>
    </section>
  )
}
