// What a key may be allowed to do: plain data. A poll needs the permission of what submitted the task.

/** In the order in which they are shown. */
export const PERMISSIONS = [
  'transcribe',
  'extract',
  'statement',
  'shortvideo',
  'analyze',
  'search',
  'files:read',
  'files:write',
  'usage',
] as const

export type Permission = (typeof PERMISSIONS)[number]

/** A key with `all` also has the permissions of later versions. */
export type Permissions = 'all' | readonly Permission[]

export function allows(permissions: Permissions, wanted: Permission): boolean {
  return permissions === 'all' || permissions.includes(wanted)
}

/** `transcribe,usage` or `all` → permissions; undefined when a name is unknown or none is given. */
export function parsePermissions(text: string): Permissions | undefined {
  if (text.trim() === 'all') return 'all'
  const names = text.split(',').map((name) => name.trim())
  const known = PERMISSIONS.filter((permission) => names.includes(permission))
  return names.every((name) => known.some((permission) => permission === name)) ? known : undefined
}

export function formatPermissions(permissions: Permissions): string {
  return permissions === 'all' ? 'all' : permissions.join(',')
}
