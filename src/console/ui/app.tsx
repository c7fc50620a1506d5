// The shell: navigation around the pages, behind the sign-in.

import type { JSX } from 'preact'
import { AccountSwitch } from './account-switch.tsx'
import { Button } from './components/button.tsx'
import { Icon, type IconName } from './components/icon.tsx'
import { Page } from './components/page.tsx'
import { Loading, Notice } from './components/states.tsx'
import { Toasts } from './components/toasts.tsx'
import { match, place } from './router.ts'
import { ROUTES } from './routes.tsx'
import { loadSession, signOut } from './session.ts'
import { type Session, session } from './session-state.ts'
import { SignIn } from './sign-in.tsx'
import { chooseTheme, type Theme, theme } from './theme.ts'

const NAVIGATION: readonly { href: string; label: string; icon: IconName; below: string }[] = [
  { href: '/library', label: 'Library', icon: 'library', below: '/files' },
  { href: '/search', label: 'Search', icon: 'search', below: '/search' },
  { href: '/tasks', label: 'Tasks', icon: 'tasks', below: '/tasks' },
  { href: '/settings', label: 'Settings', icon: 'settings', below: '/settings' },
]

export function App(): JSX.Element {
  const known = session.value
  return (
    <>
      <a class="skip-link" href="#main">
        Skip to content
      </a>
      {known !== undefined && !(known instanceof Error) && known.signed_in ? (
        <SignedIn session={known} />
      ) : (
        <Outside known={known} />
      )}
      <Toasts />
    </>
  )
}

function Outside({ known }: { readonly known: Session | Error | undefined }): JSX.Element {
  return (
    <div class="outside">
      <header class="outside-head">
        <Brand />
        <ThemeButton />
      </header>
      {known === undefined && <Loading />}
      {known instanceof Error && (
        <Page title="No answer">
          <Notice kind="error">
            <p>{known.message}</p>
            <Button icon="retry" onPress={loadSession}>
              Try again
            </Button>
          </Notice>
        </Page>
      )}
      {known !== undefined && !(known instanceof Error) && <SignIn session={known} />}
    </div>
  )
}

function SignedIn({ session }: { readonly session: Session }): JSX.Element {
  const { path } = place.value
  return (
    <div class="shell">
      <header class="side">
        <Brand />
        <nav aria-label="Pages" class="tabs">
          {NAVIGATION.map(({ href, label, icon, below }) => (
            <a key={href} href={href} aria-current={isBelow(path, href, below) ? 'page' : undefined}>
              <Icon name={icon} size={22} />
              <span>{label}</span>
            </a>
          ))}
        </nav>
        <div class="side-foot">
          <AccountSwitch session={session} />
          <div class="row">
            <ThemeButton />
            <Button kind="quiet" icon="leave" label="Sign out" onPress={signOut} />
          </div>
        </div>
      </header>
      <CurrentPage key={session.account?.id} path={path} />
    </div>
  )
}

function isBelow(path: string, href: string, below: string): boolean {
  return path === href || path.startsWith(`${below}/`) || (path === '/' && href === '/library')
}

function Brand(): JSX.Element {
  return (
    <a class="brand" href="/library">
      <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" />
        <path d="M8 13.5v5M13.3 9v14M18.7 11.5v9M24 14.5v3" />
      </svg>
      <span>Earshot</span>
    </a>
  )
}

const THEMES: Readonly<Record<Theme, { icon: IconName; said: string; next: Theme }>> = {
  system: { icon: 'screen', said: 'as the system', next: 'light' },
  light: { icon: 'sun', said: 'light', next: 'dark' },
  dark: { icon: 'moon', said: 'dark', next: 'system' },
}

function ThemeButton(): JSX.Element {
  const { icon, said, next } = THEMES[theme.value]
  return (
    <Button
      kind="quiet"
      icon={icon}
      label={`Colours: ${said}. Change to ${THEMES[next].said}`}
      onPress={() => chooseTheme(next)}
    />
  )
}

function CurrentPage({ path }: { readonly path: string }): JSX.Element {
  for (const { pattern, show } of ROUTES) {
    const params = match(pattern, path)
    if (params) return show(params)
  }
  return (
    <Page title="Nothing here" about={path}>
      <p>
        There is no page at this address. Go to the <a href="/library">library</a>.
      </p>
    </Page>
  )
}
