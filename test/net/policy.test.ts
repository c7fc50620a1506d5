// What outgoing requests may reach: every trick we know to make a private address look like something else.

import { describe, expect, test } from 'bun:test'
import { type Config, readConfig } from '../../src/config.ts'
import { Problem } from '../../src/lib/problem.ts'
import { canonicalHost, isPublicAddress, parseAddress } from '../../src/net/addresses.ts'
import { checkTarget, checkUrl, EgressDenied, isTrustedUrl } from '../../src/net/policy.ts'

const policyOf = (trusted = '', overrides = ''): Config =>
  readConfig({ EARSHOT_TRUSTED_HOSTS: trusted, EARSHOT_HOST_OVERRIDES: overrides })
const strict = policyOf()

function verdict(url: string, policy = strict): string {
  try {
    return checkUrl(url, policy).href
  } catch (error) {
    if (error instanceof Problem) return error.code
    throw error
  }
}

describe('URLs that are malformed', () => {
  for (const url of [
    '',
    ' ',
    'notaurl',
    'example.com/video.mp4',
    'example.com:8080/video',
    '//example.com/a',
    '--exec',
    '-o/tmp/x',
    'http://',
    'https://',
    'http:///path',
    'http:/example.com',
    'http:example.com',
    'https://exa mple.com/',
    'http://example.com\\@127.0.0.1/',
    'http:\\\\example.com',
    'http://exam\tple.com/',
    'http://a.com/\r\nX: y',
    'http://[::1',
    'http://[fe80::1%25eth0]/',
    'http://[fe80::1%eth0]/',
    'http://256.1.1.1/',
    'http://1.2.3.4.5/',
    'http://example.com:99999/',
    'http://example.com:x/',
    `https://example.com/${'a'.repeat(5_000)}`,
    'http://%/',
  ]) {
    test(JSON.stringify(url.slice(0, 60)), () => expect(verdict(url)).toBe('invalid_url'))
  }
})

const PRIVATE_HOSTS = [
  // Dotted, and the odd spellings of 127.0.0.1 and its kin.
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '0x7f.0.0.1',
  '127.0.0.1.',
  '①②⑦.⓪.⓪.①',
  '１２７.０.０.１',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '0',
  '0.0.0.0',
  '127.255.255.254',
  '10.0.0.1',
  '0xa.0.0.1',
  '012.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '3232235521',
  '100.64.0.1',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.254.43518',
  '192.0.0.8',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.5',
  '192.88.99.1',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  // IPv6, and IPv4 inside it.
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:10.0.0.1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::1]',
  '[2002:7f00:1::]',
  '[2002:a00:1::1]',
  '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[100::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[5f00::1]',
  '[4000::1]',
  // Names.
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'printer.local',
  'metadata.google.internal',
  'router',
  'nas.lan',
  'host.docker.internal',
  'box.home.arpa',
  'ｌｏｃａｌｈｏｓｔ',
]

describe('hosts that are not public', () => {
  for (const host of PRIVATE_HOSTS) {
    test(host, () => expect(verdict(`http://${host}/video.mp4`)).toBe('unsupported_url'))
  }
})

describe('URLs that are not supported', () => {
  for (const url of [
    'file:///etc/passwd',
    'ftp://example.com/a.mp4',
    'gopher://example.com/',
    'javascript:alert(1)',
    'data:,x',
    'rtmp://example.com/live',
    'blob:https://example.com/x',
    'http://user@example.com/',
    'http://u:p@example.com/',
    'http://example.com@127.0.0.1/',
    'http://127.0.0.1@example.com/',
    'http://@example.com/',
    'http://:@a.com/',
    'http://example.com:22/',
    'http://example.com:25/',
    'https://example.com:6667/',
    'http://127.0.0.1#@example.com/',
    'http://127.0.0.1?@example.com/',
    'http://127.0.0.1:80%2f@example.com/',
  ]) {
    test(url, () => expect(verdict(url)).toBe('unsupported_url'))
  }
})

describe('URLs that are fine', () => {
  for (const url of [
    'https://example.com/v.mp4?a=1#t=3',
    'http://example.com:8080/',
    'https://93.184.216.34/a',
    'http://1.1.1.1/',
    'https://[2606:4700::1111]/x',
    'https://bücher.example/',
    'HTTPS://EXAMPLE.com/',
    'https://172.32.0.1/',
    'http://[64:ff9b::8.8.8.8]/',
    'http://[::ffff:8.8.8.8]/',
    'https://100.128.0.1/',
    'https://example.com/@user',
  ]) {
    test(url, () => expect(verdict(url)).toStartWith('http'))
  }
})

describe('trusted hosts', () => {
  test('a host and port', () => {
    const policy = policyOf('media.lan:8080,127.0.0.1:9000,[::1]:9000')
    expect(verdict('http://media.lan:8080/a', policy)).toStartWith('http')
    expect(verdict('http://media.lan:8081/a', policy)).toBe('unsupported_url')
    expect(verdict('http://127.0.0.1:9000/a', policy)).toStartWith('http')
    expect(verdict('http://0x7f.1:9000/a', policy)).toStartWith('http')
    expect(verdict('http://[0::1]:9000/a', policy)).toStartWith('http')
    expect(verdict('http://127.0.0.1/a', policy)).toBe('unsupported_url')
  })
  test('a network', () => {
    const policy = policyOf('10.1.0.0/16,fd00::/8')
    expect(verdict('http://10.1.2.3/a', policy)).toStartWith('http')
    expect(verdict('http://10.2.2.3/a', policy)).toBe('unsupported_url')
    expect(verdict('http://[fd00::5]/a', policy)).toStartWith('http')
    expect(isTrustedUrl(new URL('http://10.1.2.3/a'), policy)).toBe(true)
    expect(isTrustedUrl(new URL('http://8.8.8.8/a'), policy)).toBe(false)
  })
  test('an override makes its host reachable and says where', async () => {
    const policy = policyOf('', 'x.test:443=127.0.0.1:9443')
    expect(await checkTarget('X.test.', 443, policy, never)).toEqual({
      addresses: ['127.0.0.1'],
      port: 9_443,
    })
    await expect(checkTarget('x.test', 80, policy, async () => ['127.0.0.1'])).rejects.toBeInstanceOf(
      EgressDenied,
    )
  })
})

const never = async (): Promise<string[]> => {
  throw new Error('the DNS must not be asked')
}

describe('what names resolve to', () => {
  test('every address must be public', async () => {
    const target = (addresses: string[], policy = strict): Promise<unknown> =>
      checkTarget('a.example', 443, policy, async () => addresses)
    expect(await target(['2606:4700::1', '1.1.1.1'])).toEqual({
      addresses: ['1.1.1.1', '2606:4700::1'],
      port: 443,
    })
    for (const bad of [
      '127.0.0.1',
      '10.0.0.1',
      '::1',
      '::ffff:192.168.0.1',
      'fe80::1%eth0',
      '169.254.169.254',
      '0.0.0.0',
    ]) {
      await expect(target(['1.1.1.1', bad])).rejects.toBeInstanceOf(EgressDenied)
      await expect(target([bad])).rejects.toBeInstanceOf(EgressDenied)
    }
    expect(await target(['10.1.0.1'], policyOf('10.1.0.0/16'))).toMatchObject({ addresses: ['10.1.0.1'] })
    expect(await target(['10.1.0.1'], policyOf('a.example'))).toMatchObject({ addresses: ['10.1.0.1'] })
  })
  test('private literals and local names are refused without asking the DNS', async () => {
    for (const host of PRIVATE_HOSTS) {
      await expect(checkTarget(host, 80, strict, never)).rejects.toBeInstanceOf(EgressDenied)
    }
  })
})

test('addresses have one canonical form', () => {
  expect(canonicalHost('0x7f.1')).toBe('127.0.0.1')
  expect(canonicalHost('::FFFF:7F00:1')).toBe('127.0.0.1')
  expect(canonicalHost('Example.COM.')).toBe('example.com')
  expect(canonicalHost('a b')).toBeUndefined()
  expect(canonicalHost('a@b')).toBeUndefined()
  expect(parseAddress('::ffff:0.0.0.1')).toEqual({ family: 4, address: '0.0.0.1' })
  expect(parseAddress('fe80::1%eth0')).toEqual(parseAddress('nothing'))
  expect(isPublicAddress({ family: 6, address: '2a00:1450::1' })).toBe(true)
})
