// Light, dark, or as the system says. A choice of one's own is kept in the browser.

import { signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

const KEY = 'earshot-theme'

function stored(): Theme {
  try {
    const text = localStorage.getItem(KEY)
    return text === 'light' || text === 'dark' ? text : 'system'
  } catch {
    return 'system'
  }
}

export const theme = signal<Theme>(stored())

/** Puts the choice on the root element, where the colours hang (styles/tokens.css). */
export function applyTheme(): void {
  const { dataset } = document.documentElement
  if (theme.value === 'system') delete dataset['theme']
  else dataset['theme'] = theme.value
}

export function chooseTheme(choice: Theme): void {
  theme.value = choice
  applyTheme()
  try {
    localStorage.setItem(KEY, choice)
  } catch {
    // Private windows may not keep anything: then it holds until the page is closed.
  }
}
