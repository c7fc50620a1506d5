// What yt-dlp and its extractors really print, and the code each line must become.

import { describe, expect, test } from 'bun:test'
import type { ProblemCode } from '../../src/lib/problem.ts'
import { pageWarnings, stripLine, ytdlpProblem } from '../../src/engines/ytdlp-errors.ts'
import { EXTRACTOR_MESSAGES } from './extractor-messages.ts'

const REPORT =
  '; please report this issue on  https://github.com/yt-dlp/yt-dlp/issues?q= , filling out the appropriate issue template.'
const COOKIES =
  '. Use --cookies, --cookies-from-browser, --username and --password, --netrc-cmd, or --netrc (twitter) to provide account credentials'

const LINES: Readonly<Partial<Record<ProblemCode, readonly string[]>>> = {
  no_videos_found: [
    '[twitter] 1: No video could be found in this tweet',
    `[Instagram] OF: No video formats found!${REPORT}`,
    '[Instagram] Cx: There is no video in this post',
    '[Reddit] x: No media found',
    '[generic] Unsupported URL: https://example.com/login-not-found-private-video',
    '[youtube] x: Requested format is not available. Use --list-formats for a list of available formats',
    '[facebook] 7: Cannot find: no video on this page',
    '[TikTok:user] x: This account does not have any videos posted; no videos posted',
  ],
  system_overload: ['unable to write data: [Errno 28] No space left on device'],
  content_restricted: [
    `[twitter] 1: NSFW tweet requires authentication${COOKIES}`,
    `[twitter] 1: You are not authorized to view this protected tweet${COOKIES}`,
    '[TikTok] 1: You do not have permission to view this post. Log into an account that has access',
    "[youtube] x: Private video. Sign in if you've been granted access to this video",
    '[youtube] x: Sign in to confirm your age. This video may be inappropriate for some users.',
    '[youtube] x: Join this channel to get access to members-only content like this video, and other exclusive perks.',
    '[vimeo] 1: This video is protected by a password, use the --video-password option',
    '[vimeo] 1: Wrong video password',
    '[Instagram] Cx: Requested content is not available, login required'.replace(
      'rate-limit reached or ',
      '',
    ),
    '[generic] x: Unable to download webpage: HTTP Error 403: Forbidden (caused by <HTTPError 403: Forbidden>)',
    '[generic] x: Unable to download webpage: HTTP Error 401: Unauthorized',
    '[facebook] 1: This video is only available for registered users. Use --cookies',
    '[nebula] x: This video is only available to premium users',
    '[youtube] x: This video requires payment to watch.',
    '[soundcloud] x: This profile is private',
    '[twitter] 1: Twitter API says: You’re unable to view this Post because this account owner limits who can view their Posts',
  ],
  geo_restricted: [
    '[TikTok] 1: Your IP address is blocked from accessing this post',
    '[Reddit] x: Your IP address is unable to access the Reddit API',
    '[youtube] x: Video unavailable. The uploader has not made this video available in your country',
    '[bbc] x: This video is not available from your location due to geo restriction. You might want to use a VPN or a proxy server (with --proxy) to workaround.',
    '[generic] x: HTTP Error 451: Unavailable For Legal Reasons',
    '[ard] x: Dieses Video: This content is geo-blocked',
    '[youtube] x: Video unavailable. This video contains content from UMG, who has blocked it in your country on copyright grounds',
    '[crunchyroll] x: Sorry, this video is not available in your region due to licensing restrictions.',
  ],
  video_not_found: [
    '[youtube] x: Video unavailable. This video has been removed by the uploader',
    '[youtube] x: Video unavailable. This video is no longer available because the YouTube account associated with this video has been terminated.',
    '[generic] 404: Unable to download webpage: HTTP Error 404: Not Found (caused by <HTTPError 404: Not Found>)',
    '[generic] x: HTTP Error 410: Gone',
    '[twitter] 1: Twitter Space not found',
    '[twitter] 1: Twitter API says: This Post was deleted by the Post author',
    '[twitter] 1: Twitter API says: This Post is from a suspended account',
    '[twitter:broadcast] 1: Broadcast no longer exists',
    "[vimeo] 1: This video doesn't exist",
    '[facebook] 1: The video was deleted by its owner',
  ],
  video_unavailable: [
    '[youtube] x: Video unavailable',
    '[TikTok] 1: Video not available, status code 10204',
    '[youtube] x: This live event will begin in 3 hours.',
    '[youtube] x: Premieres in 2 days',
    '[twitch] x: The channel is not currently live',
    '[facebook] 1: This livestream has ended',
    '[youtube] x: This live stream recording is not available.',
  ],
  unsupported_platform: [
    '[DRM] The requested site is known to use DRM protection. It will NOT be supported.',
    '[hotstar] x: This video is DRM protected',
    '[Piracy] This website is no longer supported since it has been determined to be primarily used for piracy.',
  ],
  unsupported_url: [
    '[generic] \'notaurl\' is not a valid URL. Set --default-search "ytsearch" (or run  yt-dlp "ytsearch:notaurl" ) to search YouTube',
    '[generic] x: Unable to download webpage: HTTP Error 403: Egress-Denied (caused by <HTTPError 403: Egress-Denied>)',
    "[generic] x: Unable to download webpage: ('Unable to connect to proxy', OSError('Tunnel connection failed: 403 Egress-Denied'))",
    '[generic] x: file:// URLs are disabled by default in yt-dlp for security reasons. Use --enable-file-urls to enable at your own risk',
  ],
  input_too_large: ['unable to write data: [Errno 27] File too large'],
  metadata_fetch_failed: [
    '[youtube] x: Sign in to confirm you’re not a bot. Use --cookies-from-browser or --cookies for the authentication.',
    `[youtube] x: Failed to extract any player response${REPORT}`,
    '[generic] v: Unable to download webpage: [Errno -2] Name or service not known',
    "[generic] v: Unable to download webpage: HTTPSConnection(host='a.example', port=443): Read timed out. (read timeout=10.0)",
    '[TikTok] 1: Unable to extract challenge data',
    '[generic] v: Unable to download webpage: HTTP Error 503: Service Unavailable',
    '[generic] v: Unable to download webpage: HTTP Error 429: Too Many Requests',
    "[generic] v: Unable to download webpage: ('Unable to connect to proxy', OSError('Tunnel connection failed: 502 Egress-Failed'))",
    'unable to download video data: HTTP Error 403: Forbidden',
    'content too short (expected 1000 bytes and served 10)',
    '',
  ],
}

for (const [code, lines] of Object.entries(LINES)) {
  describe(code, () => {
    for (const line of lines) {
      test(line.slice(0, 100) || '(nothing)', () => {
        const stderr = `WARNING: [x] something about cookies\nERROR: ${line}\nERROR: [generic] second: Private video\n`
        expect(ytdlpProblem(stderr, 'The video').code).toBe(code as ProblemCode)
      })
    }
  })
}

for (const [code, messages] of Object.entries(EXTRACTOR_MESSAGES)) {
  describe(`${code}, in the words of the extractors`, () => {
    for (const message of messages) {
      test(message.slice(0, 100), () => {
        expect(ytdlpProblem(`ERROR: [site] id: ${message}\n`, 'The video').code).toBe(code as ProblemCode)
      })
    }
  })
}

test('riddles that stay unsolved are told as such, behind what yt-dlp says about its runtime', () => {
  const stderr = [
    'WARNING: [youtube] x: Some tv client https formats are possibly damaged. They will be deprioritized',
    'WARNING: [youtube] [jsc:bun] bun version 1.4.5 is not supported! 1.3.14 is the last supported bun version.',
    'WARNING: [youtube] x: n challenge solving failed: Some formats may be missing. Ensure you have a supported JavaScript runtime',
    'WARNING: [youtube] [jsc] Remote components challenge solver script (bun) and NPM package (bun) were skipped.',
    'WARNING: Requested format is not available',
  ].join('\n')
  const problem = ytdlpProblem(pageWarnings(stderr), 'The video', {
    code: 'no_videos_found',
    message: 'is empty',
  })
  expect(problem).toMatchObject({ code: 'metadata_fetch_failed', temporary: false })
  expect(problem.message).toContain('earshot tools update')
})

test('an address decides only when it is that of a wall', () => {
  const codeOf = (url: string): ProblemCode =>
    ytdlpProblem(`ERROR: [generic] Unsupported URL: ${url}\n`, 'The video').code
  for (const path of [
    'login',
    'login?next=%2Fv%2F1',
    'en/sign-in/',
    'accounts/login/',
    'verify-age',
    'age-gate',
  ]) {
    expect(codeOf(`https://site.example/${path}`)).toBe('content_restricted')
  }
  for (const path of ['how-to-login', 'private-video', 'login-not-found', 'a?next=/login', '']) {
    expect(codeOf(`https://site.example/${path}`)).toBe('no_videos_found')
  }
})

test('there are enough of them to mean something', () => {
  expect([LINES, EXTRACTOR_MESSAGES].flatMap((table) => Object.values(table).flat()).length).toBeGreaterThan(
    180,
  )
})

test('without an ERROR line the warnings decide, and without those the fallback', () => {
  expect(ytdlpProblem('WARNING: [hotstar] x: This video is DRM protected', 'It').code).toBe(
    'unsupported_platform',
  )
  const fallback = { code: 'no_videos_found', message: 'holds none' } as const
  expect(ytdlpProblem('WARNING: [x] y: something else', 'The post', fallback)).toMatchObject({
    code: 'no_videos_found',
    message: 'The post holds none',
  })
})

test('only faults that can pass are temporary', () => {
  expect(ytdlpProblem('ERROR: [x] y: HTTP Error 503: no', 'It').temporary).toBe(true)
  expect(ytdlpProblem('ERROR: [x] y: HTTP Error 404: no', 'It').temporary).toBe(false)
})

test('extractor, id and hints are not part of what happened', () => {
  expect(stripLine(`ERROR: [twitter] 1: NSFW tweet requires authentication${COOKIES}`)).toBe(
    'NSFW tweet requires authentication.',
  )
})
