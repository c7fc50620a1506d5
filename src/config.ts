// Environment and flags → one frozen Config. A wrong value stops the start with one message that lists everything wrong.

import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseConversions } from './lib/conversions.ts'
import { parseRates } from './lib/rates.ts'
import { parseSiteCookies, parseSiteProxies } from './lib/site-list.ts'

/** Reads one value from text; throws an Error whose message completes the sentence "NAME …". */
type Read<T> = (text: string) => T

interface Setting<T> {
  readonly env: `EARSHOT_${string}`
  readonly fallback: string
  readonly help: string
  readonly read: Read<T>
}

const setting = <T>(env: Setting<T>['env'], fallback: string, read: Read<T>, help: string): Setting<T> => ({
  env,
  fallback,
  read,
  help,
})

const text: Read<string> = (value) => value
const path: Read<string> = (value) => resolve(value)

const existingPath: Read<string | undefined> = (value) => {
  if (value === '') return undefined
  if (!existsSync(value)) throw new Error(`names ${value}, which does not exist`)
  return resolve(value)
}

const integer =
  (min: number, max: number): Read<number> =>
  (value) => {
    const number = Number(value)
    if (/^\d+$/.test(value) && number >= min && number <= max) return number
    throw new Error(`must be a whole number from ${min} to ${max}, not "${value}"`)
  }

/** Seconds, fractions allowed. */
const seconds =
  (min: number, max: number): Read<number> =>
  (value) => {
    const number = Number(value)
    if (/^\d+(\.\d+)?$/.test(value) && number >= min && number <= max) return number
    throw new Error(`must be seconds from ${min} to ${max}, not "${value}"`)
  }

const flag: Read<boolean> = (value) => {
  if (['1', 'true', 'yes'].includes(value)) return true
  if (['', '0', 'false', 'no'].includes(value)) return false
  throw new Error(`must be 1 or 0, not "${value}"`)
}

const oneOf =
  <T extends string>(...values: readonly T[]): Read<T> =>
  (value) => {
    const found = values.find((candidate) => candidate === value)
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}, not "${value}"`)
    return found
  }

const list =
  <T>(separator: string, item: Read<T>): Read<readonly T[]> =>
  (value) =>
    value
      .split(separator)
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map(item)

const atLeastOne =
  <T>(read: Read<readonly T[]>): Read<readonly [T, ...T[]]> =>
  (value) => {
    const [first, ...rest] = read(value)
    if (first === undefined) throw new Error('must not be empty')
    return [first, ...rest]
  }

const httpUrl: Read<string | undefined> = (value) => {
  if (value === '') return undefined
  const url = URL.parse(value)
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new Error(`must be an http(s) URL, not "${value}"`)
  return value.replace(/\/+$/, '')
}

/** As `httpUrl`, for a server that wants a key: what is in a URL ends up in messages. */
const urlWithoutCredentials: Read<string | undefined> = (value) => {
  const url = URL.parse(value)
  if (url && url.username + url.password !== '') throw new Error('must not contain a user name or password')
  return httpUrl(value)
}

/** `host`, `host:port` or CIDR: what outgoing requests may reach although it is private. */
export type TrustedHost =
  | { readonly kind: 'host'; readonly host: string; readonly port: number | undefined }
  | { readonly kind: 'network'; readonly address: string; readonly prefix: number }

const trustedHost: Read<TrustedHost> = (value) => {
  const [address, prefix] = value.split('/')
  if (prefix !== undefined) {
    const version = isIP(address ?? '')
    if (version === 0 || !/^\d+$/.test(prefix) || Number(prefix) > (version === 4 ? 32 : 128)) {
      throw new Error(`has "${value}", which is not a CIDR such as 10.0.0.0/8`)
    }
    return { kind: 'network', address: address ?? '', prefix: Number(prefix) }
  }
  const { host, port } = hostAndPort(value)
  return { kind: 'host', host, port }
}

function hostAndPort(value: string): { host: string; port: number | undefined } {
  if (isIP(value) === 6) return { host: value.toLowerCase(), port: undefined }
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:/?#@\s]+))(?::(\d{1,5}))?$/i.exec(value)
  const host = match?.[1] ?? match?.[2]
  if (!match || host === undefined || Number(match[3] ?? 1) > 65_535) {
    throw new Error(`has "${value}", which is not a host or host:port`)
  }
  return { host: host.toLowerCase(), port: match[3] === undefined ? undefined : Number(match[3]) }
}

/** `name:port=ip:port`: the egress proxy connects to the right side instead of the left. */
export interface HostOverride {
  readonly host: string
  readonly port: number | undefined
  readonly toHost: string
  readonly toPort: number
}

const hostOverride: Read<HostOverride> = (value) => {
  const [from, to] = value.split('=')
  const source = hostAndPort(from ?? '')
  const target = hostAndPort(to ?? '')
  if (isIP(target.host) === 0 || target.port === undefined) {
    throw new Error(`has "${value}", which is not name:port=ip:port`)
  }
  return { host: source.host, port: source.port, toHost: target.host, toPort: target.port }
}

const MAX_AUTO_THREADS = 8

const threadCount: Read<number> = (value) =>
  value === 'auto' ? Math.max(1, Math.min(MAX_AUTO_THREADS, availableParallelism())) : integer(1, 256)(value)

const GIB = 1_073_741_824

/** Every setting, in the order of the manual. */
export const SETTINGS = {
  host: setting('EARSHOT_HOST', '127.0.0.1', text, 'Address to listen on'),
  port: setting('EARSHOT_PORT', '8787', integer(0, 65_535), 'Port to listen on; 0 takes any free one'),
  dataDir: setting('EARSHOT_DATA', './data', path, 'Folder for the database, models and media'),
  publicUrl: setting('EARSHOT_PUBLIC_URL', '', httpUrl, 'Base of absolute links in answers'),
  modelDirs: setting(
    'EARSHOT_MODELS',
    '',
    list(':', path),
    'Further model folders, read only, separated by ":"',
  ),
  speechModel: setting('EARSHOT_SPEECH_MODEL', 'auto', text, 'Speech model: a catalogue id, or auto'),
  embeddingModel: setting(
    'EARSHOT_EMBEDDING_MODEL',
    'auto',
    text,
    'Sentence encoder: a catalogue id, or auto',
  ),
  rerankModel: setting('EARSHOT_RERANK_MODEL', 'auto', text, 'Reranker: a catalogue id, or auto'),
  llmModel: setting(
    'EARSHOT_LLM_MODEL',
    'auto',
    text,
    'Language model: a catalogue id, auto, or with EARSHOT_LLM_URL the name of a model there',
  ),
  llmUrl: setting(
    'EARSHOT_LLM_URL',
    '',
    urlWithoutCredentials,
    'OpenAI-compatible server for language tasks, such as http://127.0.0.1:11434/v1',
  ),
  llmKey: setting('EARSHOT_LLM_KEY', '', text, 'Key for the server at EARSHOT_LLM_URL, if it wants one'),
  llmTimeoutS: setting(
    'EARSHOT_LLM_TIMEOUT_S',
    '600',
    seconds(0.1, 3_600),
    'Seconds that a language model has for one answer; an analysis of a long transcript needs several',
  ),
  llmContextTokens: setting(
    'EARSHOT_LLM_CONTEXT_TOKENS',
    '8192',
    integer(2_048, 1_000_000),
    'Tokens that prompt and answer may have at EARSHOT_LLM_URL',
  ),
  modelHub: setting('EARSHOT_MODEL_HUB', 'https://huggingface.co', httpUrl, 'Model hub or a mirror of it'),
  toolsHub: setting(
    'EARSHOT_TOOLS_HUB',
    'https://github.com/yt-dlp/yt-dlp/releases/latest/download',
    httpUrl,
    'Where "earshot tools update" finds yt-dlp and its SHA2-256SUMS: its releases or a mirror of them',
  ),
  offline: setting('EARSHOT_OFFLINE', '0', flag, '1: never reach out for models or updates'),
  ytdlpPath: setting('EARSHOT_YTDLP', '', existingPath, 'Path of yt-dlp'),
  ffmpegPath: setting('EARSHOT_FFMPEG', '', existingPath, 'Path of ffmpeg'),
  ffprobePath: setting('EARSHOT_FFPROBE', '', existingPath, 'Path of ffprobe'),
  chromiumPath: setting('EARSHOT_CHROMIUM', '', existingPath, 'Path of Chromium or Chrome'),
  trustedHosts: setting(
    'EARSHOT_TRUSTED_HOSTS',
    '',
    list(',', trustedHost),
    'Private hosts that may be reached: host, host:port or CIDR, separated by ","',
  ),
  hostOverrides: setting(
    'EARSHOT_HOST_OVERRIDES',
    '',
    list(',', hostOverride),
    'name:port=ip:port,…: connect there instead',
  ),
  siteCookies: setting(
    'EARSHOT_SITE_COOKIES',
    '',
    parseSiteCookies,
    "site=file,…: log-ins for sites, in Netscape's cookie format, such as youtube.com=/etc/earshot/youtube.txt",
  ),
  siteProxies: setting(
    'EARSHOT_SITE_PROXIES',
    '',
    parseSiteProxies,
    'site=proxy,…: upstream proxies for sites (http, https, socks5), such as tiktok.com=socks5://user:password@host:1080',
  ),
  extraCa: setting('EARSHOT_EXTRA_CA', '', existingPath, 'PEM file of further certificate authorities'),
  maxMediaBytes: setting(
    'EARSHOT_MAX_MEDIA_BYTES',
    String(8 * GIB),
    integer(1_024, 1_024 * GIB),
    'Largest media file that is downloaded',
  ),
  maxMediaS: setting(
    'EARSHOT_MAX_MEDIA_S',
    '86400',
    integer(1, 31 * 86_400),
    'Longest media that is transcribed, in seconds',
  ),
  maxUploadBytes: setting(
    'EARSHOT_MAX_UPLOAD_BYTES',
    String(4 * GIB),
    integer(1, 1_024 * GIB),
    'Largest file that can be uploaded',
  ),
  uploadWaitS: setting(
    'EARSHOT_UPLOAD_WAIT_S',
    '900',
    seconds(0, 86_400),
    'Seconds an upload with wait_for_completion waits before it answers 202',
  ),
  maxActiveJobs: setting(
    'EARSHOT_MAX_ACTIVE_JOBS',
    '25',
    integer(1, 100_000),
    'Running async jobs per account',
  ),
  maxEventStreams: setting(
    'EARSHOT_MAX_EVENT_STREAMS',
    '25',
    integer(1, 1_000),
    'Event streams that one account may have open at once',
  ),
  maxQueuedJobs: setting(
    'EARSHOT_MAX_QUEUED_JOBS',
    '10000',
    integer(0, 10_000_000),
    'Jobs that may wait in all; from then on new work is refused with 503',
  ),
  minFreeBytes: setting(
    'EARSHOT_MIN_FREE_BYTES',
    String(GIB),
    integer(0, 1_048_576 * GIB),
    'Free bytes on the disk of the data folder, below which new work is refused with 503',
  ),
  rateLimits: setting(
    'EARSHOT_RATE_LIMITS',
    '',
    parseRates,
    'Requests per minute and key: "off", or differences such as POST /transcribe=20,GET /files=200',
  ),
  rateLimitBanS: setting(
    'EARSHOT_RATE_LIMIT_BAN_S',
    '60',
    seconds(0, 86_400),
    'Seconds that a key which exceeds a rate limit is refused',
  ),
  taskRetentionS: setting(
    'EARSHOT_TASK_RETENTION_S',
    '3600',
    integer(1, 31 * 86_400),
    'Seconds a finished task can be read',
  ),
  webhookRetryS: setting(
    'EARSHOT_WEBHOOK_RETRY_S',
    '10,60,180,530',
    atLeastOne(list(',', seconds(0, 86_400))),
    'Seconds between the five attempts of a webhook delivery, separated by ","; the last repeats',
  ),
  webhookTimeoutS: setting(
    'EARSHOT_WEBHOOK_TIMEOUT_S',
    '15',
    seconds(0.1, 300),
    'Seconds a webhook receiver has for its whole answer',
  ),
  syncMaxMediaS: setting(
    'EARSHOT_SYNC_MAX_MEDIA_S',
    '600',
    integer(1, 86_400),
    'Longest media of a synchronous request, in seconds',
  ),
  sitePauseS: setting(
    'EARSHOT_SITE_PAUSE_S',
    '1',
    seconds(0, 60),
    'Seconds between two requests for pages of a profile or search',
  ),
  threads: setting(
    'EARSHOT_THREADS',
    'auto',
    threadCount,
    'Threads that engines may use in all; auto: as many as there are cores, at most 8',
  ),
  engineIdleS: setting(
    'EARSHOT_ENGINE_IDLE_S',
    '300',
    integer(1, 86_400),
    'Seconds after which an unused engine is unloaded',
  ),
  meters: setting('EARSHOT_METERS', '', parseConversions, 'Units per credit: transcription_hour=3,…'),
  metrics: setting(
    'EARSHOT_METRICS',
    'off',
    oneOf('off', 'local', 'public'),
    'GET /metrics for Prometheus: off, local (this machine, not through a proxy) or public',
  ),
  log: setting('EARSHOT_LOG', 'pretty', oneOf('json', 'pretty'), 'Log format'),
} as const

export type SettingName = keyof typeof SETTINGS
export type Config = { readonly [Name in SettingName]: ReturnType<(typeof SETTINGS)[Name]['read']> }

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** For commands that are clients of a running server, wherever it is: no settings of the server's own. */
export const CLIENT_VARIABLES = { url: 'EARSHOT_URL', key: 'EARSHOT_API_KEY' } as const

/** `EARSHOT_MAX_ACTIVE_JOBS` → `--max-active-jobs`. */
export function flagOf(name: SettingName): string {
  return `--${SETTINGS[name].env.slice('EARSHOT_'.length).toLowerCase().replaceAll('_', '-')}`
}

/**
 * `flags` win over `env`, which wins over the defaults. Throws ConfigError listing every wrong value.
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  flags: Partial<Readonly<Record<SettingName, string>>> = {},
): Config {
  const faults: string[] = []
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    const { env: variable, fallback, read } = SETTINGS[name]
    const fromFlag = flags[name]
    try {
      values[name] = (read as Read<unknown>)(fromFlag ?? env[variable] ?? fallback)
    } catch (error) {
      faults.push(`${fromFlag === undefined ? variable : flagOf(name)} ${(error as Error).message}`)
    }
  }
  const known: ReadonlySet<string> = new Set([
    ...Object.values(SETTINGS).map((entry) => entry.env),
    ...Object.values(CLIENT_VARIABLES),
  ])
  for (const variable of Object.keys(env)) {
    if (variable.startsWith('EARSHOT_') && !known.has(variable)) faults.push(`${variable} is not a setting`)
  }
  if (faults.length > 0) throw new ConfigError(`The configuration is not valid:\n  ${faults.join('\n  ')}`)
  return Object.freeze(values) as Config
}
