// What all endpoints of the console have in common.

/** Spread into a route's declaration: not part of the public API and its reference. */
export const CONSOLE = { base: '/console/api', tag: 'Console' } as const
