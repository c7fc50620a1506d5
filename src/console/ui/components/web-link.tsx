// A link to somewhere on the web, in a tab of its own that learns nothing of this page. What is no web address is text.

import type { ComponentChildren, JSX } from 'preact'

export interface WebLinkProps {
  /** From callers and platforms: it may be anything. */
  readonly href: string
  readonly children: ComponentChildren
}

export function WebLink({ href, children }: WebLinkProps): JSX.Element {
  const url = URL.canParse(href) ? new URL(href) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) return <span>{children}</span>
  return (
    <a href={url.href} target="_blank" rel="noreferrer">
      {children}
    </a>
  )
}
