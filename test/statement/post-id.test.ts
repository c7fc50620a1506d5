// Which texts name a post, and what is said of those that do not.

import { expect, test } from 'bun:test'
import { postIdOf } from '../../src/statement/post-id.ts'

const policy = { trustedHosts: [], hostOverrides: [] }

test.each([
  '20',
  ' 1700000000000000001\n',
  '9223372036854775807',
  'https://x.com/someone/status/20',
  'https://twitter.com/some_one/status/20?s=20&t=x#top',
  'http://www.twitter.com/someone/statuses/20/',
  'https://mobile.twitter.com/i/web/status/20',
  'https://x.com/i/status/20/photo/1',
  'https://X.com./someone/status/20/video/2',
  'https://x.com/status/20',
])('%p is a post', (text) => {
  expect(postIdOf(text, policy)).toBe(/\d{2,}/.exec(text)?.[0] ?? '')
})

test.each([
  ['abc', 'invalid_parameter'],
  ['-1', 'invalid_parameter'],
  ['0', 'invalid_parameter'],
  ['007', 'invalid_parameter'],
  ['1e5', 'invalid_parameter'],
  ['20 or 30', 'invalid_parameter'],
  ['٢٠', 'invalid_parameter'],
  ['1'.repeat(20), 'invalid_parameter'],
  ['x.com/someone/status/20', 'invalid_url'],
  ['https://', 'invalid_url'],
  ['javascript:alert(20)', 'unsupported_url'],
  ['ftp://x.com/someone/status/20', 'unsupported_url'],
  ['https://me:secret@x.com/someone/status/20', 'unsupported_url'],
  ['http://127.0.0.1/someone/status/20', 'unsupported_url'],
  ['http://169.254.169.254/i/status/20', 'unsupported_url'],
  ['https://x.com/someone', 'unsupported_url'],
  ['https://x.com/someone/status/20abc', 'unsupported_url'],
  ['https://x.com/someone/status/../../status/x', 'unsupported_url'],
  ['https://x.com.example.com/someone/status/20', 'unsupported_platform'],
  ['https://notx.com/someone/status/20', 'unsupported_platform'],
  ['https://www.instagram.com/p/20/', 'unsupported_platform'],
])('%p is %s', (text, code) => {
  expect(() => postIdOf(text, policy)).toThrow(expect.objectContaining({ code }))
})
