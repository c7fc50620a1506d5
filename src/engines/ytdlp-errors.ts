// yt-dlp says why it failed in one line of prose; the contract wants a code. The patterns are data, and order matters.

import { Problem, type ProblemCode } from '../lib/problem.ts'

interface Outcome {
  readonly code: ProblemCode
  readonly message: string
  readonly temporary?: true
  /** The site asks for a pause. */
  readonly retryAfterS?: number
}

interface Rule extends Outcome {
  readonly pattern: RegExp
}

const TEMPORARY = 'could not be fetched because its site did not answer as expected; try again later'

/** The first match decides. Matched against the line without extractor, id and hints. */
const RULES: readonly Rule[] = [
  {
    pattern: /Errno 28\]|No space left on device|Errno 122\]|Disk quota exceeded/i,
    code: 'system_overload',
    message: 'could not be stored because the disk of this server is full; try again later',
    temporary: true,
  },
  {
    pattern: /Egress-Denied|Tunnel connection failed: 403|\/\/(?:localhost|127\.)/i,
    code: 'unsupported_url',
    message: 'leads to a private or local address; only public hosts can be reached',
  },
  {
    // Looks like a log-in request, but is about our address, and passes.
    pattern:
      /not a bot|confirm you.re (?:not|human)|captcha|challenge data|unexpected response from webpage|rate.?limit|too many requests|HTTP Error 429|try again later/i,
    code: 'metadata_fetch_failed',
    message: 'could not be fetched because its site limits how often this server may ask; try again later',
    temporary: true,
    retryAfterS: 60,
  },
  {
    // The metadata was there a moment ago: an address that has expired, or a server in trouble.
    pattern: /unable to download video data: (?!.*unable to write)|fragment \d+ not found/i,
    code: 'metadata_fetch_failed',
    message: TEMPORARY,
    temporary: true,
  },
  {
    pattern: /is not a valid URL|Unsupported url scheme|file:\/\/ URLs are disabled|unsafe file extension/i,
    code: 'unsupported_url',
    message: 'is not a URL that media can be fetched from',
  },
  {
    pattern:
      /known to use DRM|DRM.protected|protected by DRM|is no longer supported|piracy|This website is no longer/i,
    code: 'unsupported_platform',
    message: 'is on a site that is not supported (for example because it encrypts its media)',
  },
  {
    pattern:
      /HTTP Error 451|Unavailable For Legal Reasons|geo.?restrict|geo.?block|(?:available|blocked|licen[sc]ed?|restrict\w*|accessible|viewable).{0,80}\b(?:country|countries|region|location|territor\w*|your area)\b|in your (?:country|region|location)|IP address is (?:blocked|unable)|outside (?:of )?(?:the )?(?:US|UK|EU|USA|country)\b/i,
    code: 'geo_restricted',
    message: 'is not available in the region that this server is in',
  },
  {
    pattern:
      /sign.?in\b|log ?in\b|logged in|log into|registered users|authenticat|not authorized|(?:account|profile|video|post|playlist|tweet) is (?:private|protected)|private (?:video|account|profile)|confirm your age|age.?(?:restrict|gate|verif)|inappropriate for some|members?.only|subscri(?:be[rd]?|ption)\b|premium|password|cookies|protected tweet|NSFW|purchas|payment|rent(?:al|ed)?\b|permission to view|limits who can|HTTP Error 40[13]/i,
    code: 'content_restricted',
    message: 'needs a log-in, an age check or a payment, so this server cannot get it',
  },
  {
    pattern:
      /no video (?:could be found|on|in|formats)|there is no video|no videos? (?:posted|found)|not have any videos posted|no media|no (?:video |playable )?formats|Requested format is not available|is not a video|Unsupported URL|does not contain (?:a|any) video|no suitable (?:extractor|formats?)/i,
    code: 'no_videos_found',
    message: 'holds no video or audio that could be found',
  },
  {
    pattern: /Unable to extract secondary user ID/i,
    code: 'video_unavailable',
    message: 'does not exist, is private, or is hidden from visitors without a log-in',
  },
  {
    pattern:
      /HTTP Error (?:404|410)|does ?n[o'’]t exist|no longer exists|not found|(?:has been|was|been) (?:removed|deleted|taken down|terminated)|account .{0,40}(?:terminated|suspended|closed)|suspended account/i,
    code: 'video_not_found',
    message: 'does not exist, or no longer does',
  },
  {
    pattern: /file is larger than max-filesize|File too large|EFBIG/i,
    code: 'input_too_large',
    message: 'is larger than this server accepts',
  },
  {
    pattern:
      /timed? ?out|name or service not known|name resolution|getaddrinfo|connection (?:refused|reset|aborted|broken)|Egress-Failed|Tunnel connection failed|HTTP Error 5\d\d|incomplete ?read|content too short|network is unreachable|remote end closed|SSL:/i,
    code: 'metadata_fetch_failed',
    message: TEMPORARY,
    temporary: true,
  },
  {
    pattern:
      /unavailable|no longer available|not available|is not yet available|live ?stream (?:has ended|recording)|live event|premieres? in|not currently live|offline|expired|is processing|being processed|not made available|is live/i,
    code: 'video_unavailable',
    message: 'exists but cannot be played now',
  },
]

const FALLBACK: Outcome = { code: 'metadata_fetch_failed', message: TEMPORARY, temporary: true }

/** What yt-dlp appends for people at a terminal; it mentions cookies and log-ins in messages that are about neither. */
const HINTS = [
  /\s*Use --(?:cookies|username|list-formats|netrc|impersonate).*$/is,
  /[;.]?\s*please report this issue on .*$/is,
  /\s*See\s+https?:\/\/\S+.*$/is,
  /\s*You might want to use a VPN.*$/is,
  /\s*\(caused by .*$/is,
]

/** `ERROR: [site] id: what happened. Use --cookies …` → `what happened.` */
export function stripLine(line: string): string {
  const bare = line.replace(/^(?:ERROR|WARNING):\s*/, '').replace(/^\[[^\]]+\]\s*(?:[^\s:]+:\s+)?/, '')
  // A page's own title or address must not decide.
  return HINTS.reduce((text, hint) => text.replace(hint, ''), bare).replace(/(?<=Unsupported URL): .*$/i, '')
}

/** Remarks about itself and its helpers say nothing about the page. */
const REMARKS = /No supported JavaScript runtime|impersonat|\. Retrying \(|^WARNING: \[[^\]]+\] \S+: Some /

/** The warnings that are about the page, the last one first: it tells the outcome, those before tell what was tried. */
export function pageWarnings(stderr: string): string {
  const lines = stderr.split('\n')
  const about = lines.filter((line) => line.startsWith('WARNING: [') && !REMARKS.test(line))
  return about.toReversed().join('\n')
}

/** The problem that yt-dlp's messages describe: the first ERROR line, else the first warning about a page. `subject` completes the sentence. */
export function ytdlpProblem(stderr: string, subject: string, fallback: Outcome = FALLBACK): Problem {
  const lines = stderr.split('\n')
  const line =
    lines.find((entry) => entry.startsWith('ERROR:')) ?? lines.find((entry) => entry.startsWith('WARNING: ['))
  const text = stripLine(line ?? '')
  const rule = RULES.find(({ pattern }) => pattern.test(text)) ?? fallback
  return new Problem(rule.code, `${subject} ${rule.message}`, {
    cause: line ?? stderr,
    temporary: rule.temporary ?? false,
    ...(rule.retryAfterS === undefined ? {} : { retryAfterS: rule.retryAfterS }),
  })
}
