// What yt-dlp's messages mean, as data. The first rule that matches decides, so the order matters: particular words before
// general ones. Each is tried on real messages in test/engines.

import type { ProblemCode } from '../lib/problem.ts'

export interface Outcome {
  readonly code: ProblemCode
  readonly message: string
  readonly temporary?: true
  /** The site asks for a pause. */
  readonly retryAfterS?: number
}

export interface Rule extends Outcome {
  /** Any of them, in the line without extractor, id and hints. */
  readonly patterns: readonly RegExp[]
}

const TEMPORARY = 'could not be fetched because its site did not answer as expected; try again later'

/** What stands for the address of a page to which a wall leads, so that no other address decides anything. */
export const WALL_PAGE = 'a page to sign in at'
/** A path that ends in one of these is a wall, not a page with a video. */
export const WALL_PATHS =
  /\/(?:log-?in|sign-?in|accounts\/login|auth|age-?(?:gate|check|verification)|verify-?age|age-?verify)\/?$/i

export const FALLBACK: Outcome = { code: 'metadata_fetch_failed', message: TEMPORARY, temporary: true }

export const RULES: readonly Rule[] = [
  {
    patterns: [/Errno 28\]|No space left on device|Errno 122\]|Disk quota exceeded/i],
    code: 'system_overload',
    message: 'could not be stored because the disk of this server is full; try again later',
    temporary: true,
  },
  {
    patterns: [/Egress-Denied|Tunnel connection failed: 403|\/\/(?:localhost|127\.)/i],
    code: 'unsupported_url',
    message: 'leads to a private or local address; only public hosts can be reached',
  },
  {
    patterns: [/challenge solving failed|signature solving failed/i],
    code: 'metadata_fetch_failed',
    message:
      'could not be read because its site wants scripts to be run that yt-dlp on this server lacks; its operator can run "earshot tools update"',
  },
  {
    // Looks like a log-in request, but is about our address, and passes.
    patterns: [
      /not a bot|as a bot|anti-bot|confirm you.re (?:not|human)|captcha|challenge data|requests automated/i,
      /unexpected response from webpage|blocked by server|rejected by server|IP is likely being blocked/i,
      /rate.?limit|too many requests|HTTP Error 429|try again later/i,
    ],
    code: 'metadata_fetch_failed',
    message: 'could not be fetched because its site limits how often this server may ask; try again later',
    temporary: true,
    retryAfterS: 60,
  },
  {
    // The metadata was there a moment ago: an address that has expired, or a server in trouble.
    patterns: [/unable to download video data: (?!.*unable to write)|fragment \d+ not found/i],
    code: 'metadata_fetch_failed',
    message: TEMPORARY,
    temporary: true,
  },
  {
    patterns: [
      /is not a valid URL|Unsupported url scheme|file:\/\/ URLs are disabled|unsafe file extension/i,
      /URL .* looks truncated|URL was given without/i,
    ],
    code: 'unsupported_url',
    message: 'is not a URL that media can be fetched from',
  },
  {
    patterns: [
      /known to use DRM|DRM.protected|protected by DRM|is no longer supported|piracy|This website is no longer/i,
      /(?:embeds|videos) are not supported/i,
    ],
    code: 'unsupported_platform',
    message: 'is on a site that is not supported (for example because it encrypts its media)',
  },
  {
    patterns: [
      /HTTP Error 451|Unavailable For Legal Reasons|geo.?restrict|geo.?block|decision of the .{0,20}government/i,
      /(?:available|blocked|licen[sc]ed?|restrict\w*|accessible|viewable).{0,80}\b(?:country|countries|region|location|territor\w*|your area)\b/i,
      /in your (?:country|region|location)|IP address is (?:blocked|unable)|outside (?:of )?(?:the )?(?:US|UK|EU|USA|country)\b/i,
      // Countries are written with a capital; "available in HD only" is not one.
      /(?:a|A)vailable in (?:the )?[A-Z][a-z]+ only/,
    ],
    code: 'geo_restricted',
    message: 'is not available in the region that this server is in',
  },
  {
    patterns: [
      /sign.?in\b|log ?in\b|logged.?in|log into|registered users|authenticat|not authorized|authorization lost/i,
      /(?:account|profile|video|post|playlist|tweet|VOD) is (?:private|protected|locked)|private (?:video|account|profile|show)/i,
      /confirm your age|age.?(?:restrict|gate|verif)|adult verif|inappropriate for some|NSFW|sensitive content/i,
      /members?.only|for members|supporter.only|subscri(?:be[rd]s?|ption)\b|premium|purchas|payment|rent(?:al|ed)?\b|tickets? to/i,
      /password|passcode|cookies|protected tweet|permission to view|limits who can|TV providers/i,
      /account (?:is needed|does not have (?!any)|that has (?:been )?(?:approved|opted))|not have access|\b\d+ is locked/i,
      /HTTP Error 40[13]/i,
    ],
    code: 'content_restricted',
    message: 'needs a log-in, an age check or a payment, so this server cannot get it',
  },
  {
    patterns: [
      /live was ended|live(?:stream)? has ended|event has ended|live HLS streams are not supported|Neither archive nor live/i,
      /(?:is|are) not live|has not started/i,
    ],
    code: 'video_unavailable',
    message: 'exists but cannot be played now, because it is live, or was',
  },
  {
    patterns: [
      /no (?:valid )?videos? (?:could be found|on|in|formats|metadata|URL|found|posted|element)|there is no video|not have any videos posted/i,
      /no media|no (?:video |playable )?formats|Requested format is not available|is not a video|no downloads available/i,
      /(?:does not|doesn't) (?:contain|have) (?:a |any )?(?:video|audio)|could not find video/i,
      /Unsupported URL|no suitable (?:extractor|formats?)/i,
    ],
    code: 'no_videos_found',
    message: 'holds no video or audio that could be found',
  },
  {
    patterns: [/Unable to extract secondary user ID/i],
    code: 'video_unavailable',
    message: 'does not exist, is private, or is hidden from visitors without a log-in',
  },
  {
    patterns: [
      /HTTP Error (?:404|410)|does ?n[o'’]t exist|no longer exists|not found|^No such |^No .{1,60} exists$/i,
      /(?:has been|was|been) (?:removed|deleted|taken down|terminated)|account .{0,40}(?:terminated|suspended|closed)|suspended account/i,
    ],
    code: 'video_not_found',
    message: 'does not exist, or no longer does',
  },
  {
    patterns: [/file is larger than max-filesize|File too large|EFBIG/i],
    code: 'input_too_large',
    message: 'is larger than this server accepts',
  },
  {
    patterns: [
      /timed? ?out|name or service not known|name resolution|getaddrinfo|connection (?:refused|reset|aborted|broken)/i,
      /Egress-Failed|Tunnel connection failed|HTTP Error 5\d\d|incomplete ?read|content too short|temporarily unavailable/i,
      /network is unreachable|remote end closed|SSL:/i,
    ],
    code: 'metadata_fetch_failed',
    message: TEMPORARY,
    temporary: true,
  },
  {
    patterns: [
      /unavailable|unplayable|(?:no|in no) longer available|not available|is not yet available|not made available/i,
      /live ?stream (?:has ended|recording)|live event|premieres? in|not currently live|is live|offline/i,
      /expired|is processing|being processed/i,
    ],
    code: 'video_unavailable',
    message: 'exists but cannot be played now',
  },
]
