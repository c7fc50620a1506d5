// Where the reader is, as a signal, and how links get there without loading the page anew. The addresses are those for
// which the server answers with the page (src/console/assets.ts).

import { signal } from '@preact/signals'

export interface Place {
  readonly path: string
  readonly query: URLSearchParams
}

const placeOf = ({ pathname, search }: Location): Place => ({
  path: pathname.length > 1 ? pathname.replace(/\/+$/, '') : pathname,
  query: new URLSearchParams(search),
})

export const place = signal<Place>(placeOf(location))

/** True once the reader has moved within the page: only then is the focus moved to the new page's heading. */
let hasMoved = false

export function movesFocus(): boolean {
  return hasMoved
}

export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
  const before = place.peek().path
  place.value = placeOf(location)
  if (place.peek().path !== before) arrive()
}

function arrive(): void {
  hasMoved = true
  scrollTo({ top: 0, behavior: 'instant' })
}

/** `match('/files/{id}', path)` → `{ id }`, or undefined. */
export function match(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? ''
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name === undefined ? part !== text : text === '') return undefined
    if (name !== undefined) params[name] = decoded(text)
  }
  return params
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const OWN = /^\/(?:$|library$|search$|tasks(?:\/|$)|settings(?:\/|$)|files\/[^/]+$)/

/** Takes over plain clicks on links to pages of the console; everything else is left to the browser. */
export function installRouter(): void {
  addEventListener('popstate', () => {
    hasMoved = true
    place.value = placeOf(location)
  })
  document.addEventListener('click', (event) => {
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (!plain || event.defaultPrevented || !(event.target instanceof Element)) return
    const link = event.target.closest('a')
    if (!link || link.target !== '' || link.hasAttribute('download')) return
    const url = new URL(link.href, location.href)
    if (url.origin !== location.origin || !OWN.test(url.pathname) || url.hash !== '') return
    event.preventDefault()
    navigate(url.pathname + url.search)
  })
}
