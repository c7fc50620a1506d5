// A file that was found: the sentence with what was said around it, and a player that begins there.

import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { FileWithTranscript, FoundFile, Segment } from '../api-types.ts'
import { get, path } from '../api.ts'
import { Button } from '../components/button.tsx'
import { Marked } from '../components/marked.tsx'
import { clock } from '../format.ts'
import { segmentAt, wordsOf } from '../file/find.ts'
import { createPlayback } from '../file/playback.ts'
import { Player } from '../file/player.tsx'

/** Sentences before and after the one that was found. */
const AROUND = 2

export interface HitProps {
  readonly found: FoundFile
  readonly query: string
}

export function Hit({ found, query }: HitProps): JSX.Element {
  const element = useRef<HTMLLIElement>(null)
  const playback = useMemo(createPlayback, [found.id])
  const [isOpen, setOpen] = useState(false)
  const [atS] = found.timestamps
  const said = useSaid(found, element)
  const play = (seconds: number): void => {
    setOpen(true)
    playback.seek(seconds, { play: true })
  }
  return (
    <li ref={element} class="card hit">
      <div class="row spread">
        <h2>
          <a href={`${path('/files/', found.id)}${atS === undefined ? '' : `?t=${atS}`}`}>{found.name}</a>
        </h2>
        <span class="soft small number" title="How likely this is what you are looking for">
          {Math.round(found.relevance_score * 100)} %
        </span>
      </div>
      <p class="quote">
        {said.before !== '' && <span class="soft">{said.before} </span>}
        <Marked text={said.sentence} wanted={wordsOf(query)} />
        {said.after !== '' && <span class="soft"> {said.after}</span>}
      </p>
      {found.query_answer !== undefined && (
        <p>
          <strong>Answer:</strong> {found.query_answer}
        </p>
      )}
      <div class="row">
        {found.timestamps.map((seconds) => (
          <Button key={seconds} icon="play" onPress={() => play(seconds)}>
            <span>
              <span class="visually-hidden">Play {found.name} from </span>
              {clock(seconds)}
            </span>
          </Button>
        ))}
      </div>
      {isOpen && <Player file={found} playback={playback} />}
    </li>
  )
}

interface Said {
  readonly before: string
  readonly sentence: string
  readonly after: string
}

/** The passage that was found; when the hit comes near the screen, its sentence and what was said around it. */
function useSaid(found: FoundFile, element: { readonly current: HTMLElement | null }): Said {
  const [said, setSaid] = useState<Said>({ before: '', sentence: found.relevant_text, after: '' })
  useEffect(() => {
    const controller = new AbortController()
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting !== true) return
      observer.disconnect()
      get<FileWithTranscript>(path('/v1/file/', found.id), controller.signal).then(
        ({ transcript }) => setSaid((passage) => saidAt(transcript ?? [], found.timestamps[0]) ?? passage),
        // The passage is there.
        () => undefined,
      )
    })
    if (element.current) observer.observe(element.current)
    return () => {
      controller.abort()
      observer.disconnect()
    }
  }, [found.id])
  return said
}

function saidAt(segments: readonly Segment[], atS: number | undefined): Said | undefined {
  const at = atS === undefined ? -1 : segmentAt(segments, atS)
  const sentence = segments[at]?.text
  if (sentence === undefined) return undefined
  const text = (from: number, to: number): string =>
    segments
      .slice(Math.max(0, from), to)
      .map((segment) => segment.text)
      .join(' ')
  return { before: text(at - AROUND, at), sentence, after: text(at + 1, at + 1 + AROUND) }
}
