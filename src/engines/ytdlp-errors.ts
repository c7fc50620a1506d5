// yt-dlp says why it failed in one line of prose; the contract wants a code. Here that line is found and stripped; what it
// means is data (ytdlp-error-rules.ts).

import { Problem } from '../lib/problem.ts'
import { FALLBACK, type Outcome, RULES, WALL_PAGE, WALL_PATHS } from './ytdlp-error-rules.ts'

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
  const text = HINTS.reduce((rest, hint) => rest.replace(hint, ''), bare)
  const page = URL.parse(/Unsupported URL: (\S+)$/i.exec(text)?.[1] ?? '')
  // A page's own title or address must not decide, but that of a wall to which a site leads is its answer.
  if (page && WALL_PATHS.test(page.pathname)) return `Unsupported URL, ${WALL_PAGE}`
  return text.replace(/(?<=Unsupported URL): .*$/i, '')
}

/** Remarks about itself and its helpers say nothing about the page. */
const REMARKS =
  /No supported JavaScript runtime|impersonat|bun version|JS runtime|\[jsc|\. Retrying \(|^WARNING: \[[^\]]+\] \S+: Some /

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
  const rule = RULES.find(({ patterns }) => patterns.some((pattern) => pattern.test(text))) ?? fallback
  return new Problem(rule.code, `${subject} ${rule.message}`, {
    cause: line ?? stderr,
    temporary: rule.temporary ?? false,
    ...(rule.retryAfterS === undefined ? {} : { retryAfterS: rule.retryAfterS }),
  })
}
