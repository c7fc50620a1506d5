// Which page is at which address. A new page is a line here and, if its address is of a new form, one in
// src/console/assets.ts.

import type { JSX } from 'preact'
import { FilePage } from './file/file-page.tsx'
import { LibraryPage } from './library/library-page.tsx'
import { SearchPage } from './search/search-page.tsx'
import { SettingsPage } from './settings/settings-page.tsx'
import { TaskPage } from './tasks/task-page.tsx'
import { TasksPage } from './tasks/tasks-page.tsx'

export interface PageRoute {
  readonly pattern: string
  readonly show: (params: Readonly<Record<string, string>>) => JSX.Element
}

export const ROUTES: readonly PageRoute[] = [
  { pattern: '/', show: () => <LibraryPage /> },
  { pattern: '/library', show: () => <LibraryPage /> },
  { pattern: '/files/{id}', show: ({ id = '' }) => <FilePage key={id} id={id} /> },
  { pattern: '/search', show: () => <SearchPage /> },
  { pattern: '/tasks', show: () => <TasksPage /> },
  { pattern: '/tasks/{id}', show: ({ id = '' }) => <TaskPage key={id} id={id} /> },
  { pattern: '/settings', show: () => <SettingsPage /> },
  { pattern: '/settings/{name}', show: ({ name }) => <SettingsPage key={name} name={name} /> },
]
