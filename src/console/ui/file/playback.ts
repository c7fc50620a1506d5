// Where the sound is, shared by the player, the transcript and whatever jumps to a moment.

import { type ReadonlySignal, signal } from '@preact/signals'

export interface Playback {
  readonly timeS: ReadonlySignal<number>
  readonly isPlaying: ReadonlySignal<boolean>
  /** The media element, once it is there. Returns how to let go of it. */
  attach(element: HTMLMediaElement): () => void
  /** Goes to a moment; before the media is there, it will begin there. */
  seek(seconds: number, options?: { readonly play?: boolean }): void
}

export function createPlayback(): Playback {
  const timeS = signal(0)
  const isPlaying = signal(false)
  let media: HTMLMediaElement | undefined
  let wanted: { readonly seconds: number; readonly play: boolean } | undefined

  function go(): void {
    if (!media || !wanted || media.readyState < HTMLMediaElement.HAVE_METADATA) return
    const { seconds, play } = wanted
    wanted = undefined
    media.currentTime = seconds
    // Browsers may refuse until the reader has pressed something; then the play button is there.
    if (play) media.play().catch(() => undefined)
  }

  return {
    timeS,
    isPlaying,
    attach(element) {
      media = element
      const moved = (): void => {
        if (!wanted) timeS.value = element.currentTime
      }
      const changed = (): void => {
        isPlaying.value = !element.paused
      }
      const events = { timeupdate: moved, seeked: moved, loadedmetadata: go, play: changed, pause: changed }
      for (const [name, listener] of Object.entries(events)) element.addEventListener(name, listener)
      go()
      return () => {
        for (const [name, listener] of Object.entries(events)) element.removeEventListener(name, listener)
        isPlaying.value = false
        media = undefined
      }
    },
    seek(seconds, { play = false } = {}) {
      timeS.value = seconds
      wanted = { seconds, play }
      go()
    },
  }
}
