// The doctor: tries every part of the server for real and says what to do about what fails.

import type { JSX } from 'preact'
import type { HealthData } from '../../health-routes.ts'
import { get, send } from '../api.ts'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { Empty, Progress, Shown } from '../components/states.tsx'
import { useData } from '../data.ts'
import { ago, plural } from '../format.ts'
import { Card } from './card.tsx'
import { usePolling } from './polling.ts'

const PATH = '/console/api/health'

export function HealthSettings(): JSX.Element {
  const loaded = useData('health', (signal) => get<HealthData>(PATH, signal))
  const isRunning = loaded.data?.state === 'running'
  usePolling(loaded.reload, isRunning)
  const examine = async (): Promise<void> => {
    await send('POST', PATH)
    loaded.reload()
  }
  return (
    <Shown of={loaded} what="Looking for the last examination">
      {(health) => (
        <Card
          title="Examination"
          actions={
            <Button kind="primary" disabled={isRunning} onPress={examine}>
              {health.state === 'never' ? 'Examine' : 'Examine again'}
            </Button>
          }
        >
          <p role="status" class="soft">
            {summaryOf(health)}
          </p>
          {isRunning && (
            <Progress value={health.findings.length / health.parts} label="How far the examination is" />
          )}
          {health.state === 'never' && (
            <Empty icon="check" title="Not examined yet">
              <p>
                Every part is tried for real: a recording, the database, the disk, the programs and models,
                outgoing requests. It takes a few seconds.
              </p>
            </Empty>
          )}
          <ul class="settings-list">
            {health.findings.map(({ name, verdict, message }) => (
              <li key={name} class={`finding ${verdict}`}>
                <Icon name={verdict === 'ok' ? 'check' : 'warning'} />
                <div class="settings-item">
                  <h3>
                    {nameOf(name)} <span class="verdict small">{WORDS[verdict]}</span>
                  </h3>
                  <p class="soft small breakable">{message}</p>
                </div>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </Shown>
  )
}

/** Programs are called as they call themselves. */
const NAMES: Readonly<Record<string, string>> = {
  llm: 'Language model',
  ffmpeg: 'ffmpeg',
  'yt-dlp': 'yt-dlp',
}

const nameOf = (name: string): string => NAMES[name] ?? name.charAt(0).toUpperCase() + name.slice(1)

const WORDS: Readonly<Record<HealthData['findings'][number]['verdict'], string>> = {
  ok: 'in order',
  warning: 'worth a look',
  failed: 'failed',
}

function summaryOf({ state, findings, parts, completed_at }: HealthData): string {
  if (state === 'never') return ''
  if (state === 'running') return `${findings.length} of ${plural(parts, 'part')} examined …`
  const failed = findings.filter(({ verdict }) => verdict === 'failed').length
  const warnings = findings.filter(({ verdict }) => verdict === 'warning').length
  const when = completed_at === null ? '' : ` Examined ${ago(completed_at)}.`
  if (failed > 0) return `${plural(failed, 'part')} failed: see what to do below.${when}`
  if (warnings > 0) return `Everything needed works; ${plural(warnings, 'part')} worth a look.${when}`
  return `Everything is in order.${when}`
}
