// The frame of the settings: which of them there are for whoever is signed in, and the one at the address.

import type { JSX } from 'preact'
import { Page } from '../components/page.tsx'
import { Empty } from '../components/states.tsx'
import { currentSession, type Session } from '../session-state.ts'
import { HealthSettings } from './health.tsx'
import { KeySettings } from './keys.tsx'
import { ModelSettings } from './models.tsx'
import { UsageSettings } from './usage.tsx'
import { WebhookSettings } from './webhooks.tsx'

interface Section {
  readonly name: string
  readonly title: string
  readonly isFor: (session: Session) => boolean
  readonly show: () => JSX.Element
}

const isOwner = ({ permissions }: Session): boolean => permissions.includes('all')
const isOperator = ({ role }: Session): boolean => role === 'operator'

const SECTIONS: readonly Section[] = [
  {
    name: 'usage',
    title: 'Usage',
    isFor: ({ permissions }) => permissions.includes('usage'),
    show: () => <UsageSettings />,
  },
  { name: 'keys', title: 'API keys', isFor: isOwner, show: () => <KeySettings /> },
  { name: 'webhooks', title: 'Webhooks', isFor: isOwner, show: () => <WebhookSettings /> },
  { name: 'models', title: 'Models', isFor: isOperator, show: () => <ModelSettings /> },
  { name: 'health', title: 'Health', isFor: isOperator, show: () => <HealthSettings /> },
]

export function SettingsPage({ name }: { readonly name?: string | undefined }): JSX.Element {
  const session = currentSession()
  const sections = SECTIONS.filter(({ isFor }) => isFor(session))
  const section = name === undefined ? sections[0] : sections.find((entry) => entry.name === name)
  return (
    <Page title={section?.title ?? 'Settings'} about={`settings ${name ?? ''}`}>
      {sections.length > 1 && (
        <nav class="subpages" aria-label="Settings">
          {sections.map((entry) => (
            <a
              key={entry.name}
              ref={entry === section ? bringIntoView : null}
              href={`/settings/${entry.name}`}
              aria-current={entry === section ? 'page' : undefined}
            >
              {entry.title}
            </a>
          ))}
        </nav>
      )}
      {/* Another account's settings are other settings. */}
      <div class="stack settings" key={session.account?.id}>
        {section ? section.show() : <NotForYou />}
      </div>
    </Page>
  )
}

/** On a phone the row is longer than the screen. */
function bringIntoView(link: HTMLElement | null): void {
  link?.scrollIntoView({ block: 'nearest', inline: 'center' })
}

function NotForYou(): JSX.Element {
  return (
    <Empty icon="settings" title="No such settings here">
      <p>
        What you signed in with does not reach these settings. Sign in with a key that may do everything, or
        as the operator.
      </p>
    </Empty>
  )
}
