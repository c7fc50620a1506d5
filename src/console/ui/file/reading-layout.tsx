// Player, transcript and insights: beside each other where there is room, else one at a time.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'

export interface ReadingLayoutProps {
  readonly player?: JSX.Element | undefined
  readonly transcript: JSX.Element
  readonly insights?: JSX.Element | undefined
}

export function ReadingLayout({ player, transcript, insights }: ReadingLayoutProps): JSX.Element {
  const [view, setView] = useState<'transcript' | 'insights'>('transcript')
  return (
    <div class="reading" data-view={view}>
      {player && <div class="reading-player">{player}</div>}
      {insights && (
        <div class="segmented reading-switch" role="group" aria-label="What to show">
          <Button kind="quiet" pressed={view === 'transcript'} onPress={() => setView('transcript')}>
            Transcript
          </Button>
          <Button kind="quiet" pressed={view === 'insights'} onPress={() => setView('insights')}>
            Ask and summary
          </Button>
        </div>
      )}
      <div class="reading-transcript">{transcript}</div>
      {insights && (
        <aside class="reading-insights" aria-label="Ask and summary">
          {insights}
        </aside>
      )}
    </div>
  )
}
