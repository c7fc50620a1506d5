// Before anything else: sign in as the operator or with an API key, or set the password on the first visit.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './components/button.tsx'
import { Field } from './components/field.tsx'
import { Form } from './components/form.tsx'
import { Page } from './components/page.tsx'
import { Notice } from './components/states.tsx'
import { type Credentials, setUp, signIn } from './session.ts'
import type { Session } from './session-state.ts'

const PASSWORD_MIN = 10

export function SignIn({ session }: { readonly session: Session }): JSX.Element {
  const [way, setWay] = useState<'password' | 'key'>(session.setup_required ? 'key' : 'password')
  if (session.setup_required && session.setup_allowed) return <FirstVisit />
  return (
    <Page title="Sign in">
      <div class="card narrow">
        <div class="segmented" role="group" aria-label="How to sign in">
          <Button kind="quiet" pressed={way === 'password'} onPress={() => setWay('password')}>
            Operator
          </Button>
          <Button kind="quiet" pressed={way === 'key'} onPress={() => setWay('key')}>
            API key
          </Button>
        </div>
        {way === 'password' && session.setup_required ? (
          <Notice>
            There is no operator’s password yet. Set it on the server itself with{' '}
            <code>earshot console set-password</code>, or open this page there.
          </Notice>
        ) : (
          <CredentialForm key={way} way={way} />
        )}
      </div>
    </Page>
  )
}

function CredentialForm({ way }: { readonly way: 'password' | 'key' }): JSX.Element {
  const [text, setText] = useState('')
  const credentials: Credentials = way === 'password' ? { password: text } : { api_key: text.trim() }
  const hint =
    way === 'password'
      ? 'Forgotten? Set a new one on the server: earshot console set-password'
      : 'Make one on the server: earshot keys create'
  return (
    <Form action="Sign in" isReady={text.trim() !== ''} onSubmit={() => signIn(credentials)}>
      {way === 'password' && <Username />}
      <Field
        label={way === 'password' ? 'Operator’s password' : 'API key'}
        type="password"
        autocomplete={way === 'password' ? 'current-password' : 'off'}
        value={text}
        onInput={setText}
        hint={hint}
      />
    </Form>
  )
}

/** For password managers, which keep passwords by name. */
function Username(): JSX.Element {
  return <input type="text" name="username" autocomplete="username" value="operator" readOnly hidden />
}

function FirstVisit(): JSX.Element {
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const isShort = password !== '' && password.length < PASSWORD_MIN
  const differs = again !== '' && again !== password
  return (
    <Page title="Welcome to Earshot">
      <div class="card narrow">
        <p>Choose the operator’s password. It opens this console from anywhere the server can be reached.</p>
        <Form
          action="Set password"
          isReady={password.length >= PASSWORD_MIN && again === password}
          onSubmit={() => setUp(password)}
        >
          <Username />
          <Field
            label="Password"
            type="password"
            autocomplete="new-password"
            value={password}
            onInput={setPassword}
            hint={`At least ${PASSWORD_MIN} characters. A few words in a row are best.`}
            error={isShort ? `${PASSWORD_MIN - password.length} more characters are needed.` : undefined}
          />
          <Field
            label="The same again"
            type="password"
            autocomplete="new-password"
            value={again}
            onInput={setAgain}
            error={differs ? 'The two are not the same yet.' : undefined}
          />
        </Form>
      </div>
    </Page>
  )
}
