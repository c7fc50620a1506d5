// Which page is at which address. A new page is a line here and, if its address is of a new form, one in
// src/console/assets.ts.

import type { JSX } from 'preact'
import { Page } from './components/page.tsx'

export interface PageRoute {
  readonly pattern: string
  readonly show: (params: Readonly<Record<string, string>>) => JSX.Element
}

const library = (): JSX.Element => (
  <Page title="Library">
    <p>Files come here.</p>
  </Page>
)

export const ROUTES: readonly PageRoute[] = [
  { pattern: '/', show: library },
  { pattern: '/library', show: library },
]
