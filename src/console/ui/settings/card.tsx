// One subject of a settings page: a heading, what can be done with it, and what it is.

import type { ComponentChildren, JSX } from 'preact'

export function Card({
  title,
  actions,
  children,
}: {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <section class="card" aria-label={title}>
      <div class="row spread">
        <h2>{title}</h2>
        {actions !== undefined && <div class="row">{actions}</div>}
      </div>
      {children}
    </section>
  )
}
