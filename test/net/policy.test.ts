// What outgoing requests may reach: every trick we know to make a private address look like something else.

import { describe, expect, test } from 'bun:test'
import { type Config, readConfig } from '../../src/config.ts'
import { Problem } from '../../src/lib/problem.ts'
import { canonicalHost, isPublicAddress, parseAddress } from '../../src/net/addresses.ts'
import { checkTarget, checkUrl, EgressDenied, isTrustedUrl } from '../../src/net/policy.ts'
import { MALFORMED_URLS, PRIVATE_HOSTS, UNSUPPORTED_URLS } from '../support/hostile-addresses.ts'

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
  for (const url of MALFORMED_URLS) {
    test(JSON.stringify(url.slice(0, 60)), () => expect(verdict(url)).toBe('invalid_url'))
  }
})

describe('hosts that are not public', () => {
  for (const host of PRIVATE_HOSTS) {
    test(host, () => expect(verdict(`http://${host}/video.mp4`)).toBe('unsupported_url'))
  }
})

describe('URLs that are not supported', () => {
  for (const url of UNSUPPORTED_URLS) {
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
