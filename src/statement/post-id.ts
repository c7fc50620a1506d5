// Which post is meant: the id of a post on X, or its URL in one of its spellings.

import type { Config } from '../config.ts'
import { Problem } from '../lib/problem.ts'
import { checkUrl } from '../net/policy.ts'

const HOSTS: ReadonlySet<string> = new Set(
  ['x.com', 'twitter.com'].flatMap((name) => [name, `www.${name}`, `m.${name}`, `mobile.${name}`]),
)
/** What follows the id names an item of the post, and changes nothing. */
const PATH = /^\/(?:i\/(?:web\/)?|\w+\/)?status(?:es)?\/(\d+)(?:\/[\w/]*)?$/
/** 63 bits; numbers do not begin with 0. */
const ID = /^[1-9]\d{0,18}$/

/**
 * Throws Problem `invalid_parameter` for what is neither id nor URL, `invalid_url`, `unsupported_url` (not public, or no
 * post) or `unsupported_platform`.
 */
export function postIdOf(text: string, policy: Pick<Config, 'trustedHosts' | 'hostOverrides'>): string {
  const given = text.trim()
  const id = /[:/]/.test(given) ? idInUrl(given, policy) : given
  if (ID.test(id)) return id
  throw new Problem('invalid_parameter', '"post_id" must be the number of a post on X, or its URL.')
}

function idInUrl(text: string, policy: Pick<Config, 'trustedHosts' | 'hostOverrides'>): string {
  const url = checkUrl(text, policy)
  if (!HOSTS.has(url.hostname.replace(/\.$/, ''))) {
    throw new Problem('unsupported_platform', `Posts of ${url.host} cannot be analysed, only those of X.`)
  }
  const id = PATH.exec(url.pathname)?.[1]
  if (id !== undefined) return id
  throw new Problem(
    'unsupported_url',
    'The URL is no post of X. Give one such as https://x.com/example/status/1234567890.',
  )
}

/** The address under which a post is asked for, and its videos are kept. */
export function postUrl(id: string): string {
  return `https://x.com/i/status/${id}`
}
