// The console's symbols: drawn lines in the colour of the text. Decoration only: what they mean stands beside them in words
// or in the label of their button.

import type { JSX } from 'preact'

const PATHS = {
  library: 'M4 5h6v14H4zM14 5h6v6h-6zM14 15h6v4h-6z',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5',
  tasks: 'M4 6l1.5 1.5L8 5M4 12l1.5 1.5L8 11M4 18l1.5 1.5L8 17M12 6.5h8M12 12.5h8M12 18.5h8',
  settings:
    'M4 7h10M18 7h2M4 17h2M10 17h10M16 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM8 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  upload: 'M12 16V4M7 9l5-5 5 5M4 16v4h16v-4',
  download: 'M12 4v12M7 11l5 5 5-5M4 20h16',
  link: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L12 7M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7L12 17',
  close: 'M6 6l12 12M18 6L6 18',
  play: 'M7 4.5v15l12-7.5z',
  retry: 'M4 12a8 8 0 1 1 2.5 5.8M4 20v-5h5',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
  screen: 'M3 5h18v11H3zM8 20h8M12 16v4',
  leave: 'M10 4H4v16h6M9 12h11M16 8l4 4-4 4',
  folder: 'M3 6h7l2 2h9v11H3z',
  plus: 'M12 5v14M5 12h14',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  warning: 'M12 4l9 16H3zM12 10v4M12 17v.5',
  check: 'M4 12.5l5 5L20 6.5',
  up: 'M6 15l6-6 6 6',
  down: 'M6 9l6 6 6-6',
  follow: 'M12 4v16M7 15l5 5 5-5',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 20 }: { readonly name: IconName; readonly size?: number }): JSX.Element {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
