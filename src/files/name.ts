// Names of files are what strangers wrote: shown and sent back, never used as a path.

const NAME_MAX = 255
/** Longer "extensions" are just text after a dot. */
const EXTENSION_MAX = 16

/** Without folders, control and invisible formatting characters, at most 255 characters; undefined when nothing is left. */
export function cleanName(text: string): string | undefined {
  const last = text.split(/[/\\]/).at(-1) ?? ''
  // Well-formed first: half a surrogate pair cannot be stored. Then bidirectional overrides, which fake an extension.
  const name = last
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  if (/^\.*$/.test(name)) return undefined
  const characters = Array.from(name)
  if (characters.length <= NAME_MAX) return name
  const extension = Array.from(/\.[^.]+$/.exec(name)?.[0] ?? '')
  const kept = extension.length <= EXTENSION_MAX ? extension : []
  return [...characters.slice(0, NAME_MAX - kept.length), ...kept].join('')
}

/** Value of a Content-Disposition header (RFC 6266): plain ASCII for old clients, and the true name for all others. */
export function inlineDisposition(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  })
  return `inline; filename="${plain}"; filename*=UTF-8''${encoded}`
}
