// The transcript to take away, in the formats of the API.

import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../components/icon.tsx'

const FORMATS = [
  { format: 'text', ending: 'txt', label: 'Plain text' },
  { format: 'srt', ending: 'srt', label: 'Subtitles, SRT' },
  { format: 'vtt', ending: 'vtt', label: 'Subtitles, WebVTT' },
  { format: 'tsv', ending: 'tsv', label: 'Table, TSV' },
  { format: 'json', ending: 'json', label: 'JSON' },
] as const

export interface ExportMenuProps {
  /** Answers `?format=` with the transcript. */
  readonly address: string
  /** What the downloaded file is called, without ending. */
  readonly name: string
}

export function ExportMenu({ address, name }: ExportMenuProps): JSX.Element {
  const menu = useRef<HTMLDetailsElement>(null)
  useClosing(menu)
  return (
    <details ref={menu} class="menu">
      <summary class="button">
        <Icon name="download" size={18} />
        Export
      </summary>
      <ul class="menu-list">
        {FORMATS.map(({ format, ending, label }) => (
          <li key={format}>
            <a href={`${address}?format=${format}`} download={`${name}.${ending}`}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Escape closes it, and so does whatever happens elsewhere. */
function useClosing(menu: { readonly current: HTMLDetailsElement | null }): void {
  useEffect(() => {
    const close = (event: Event): void => {
      const element = menu.current
      if (!element?.open) return
      const isEscape = event instanceof KeyboardEvent && event.key === 'Escape'
      const isInside = event.target instanceof Node && element.contains(event.target)
      if (event instanceof KeyboardEvent ? !isEscape : isInside) return
      element.open = false
      if (isEscape) element.querySelector('summary')?.focus()
    }
    addEventListener('keydown', close)
    addEventListener('pointerdown', close)
    return () => {
      removeEventListener('keydown', close)
      removeEventListener('pointerdown', close)
    }
  }, [menu])
}

/** A name that every file system takes. */
export function exportName(name: string): string {
  const stem = name.replace(/\.[a-z0-9]{1,5}$/i, '')
  return stem.replaceAll(/[^\p{L}\p{N} ._-]+/gu, '_').slice(0, 100) || 'transcript'
}
