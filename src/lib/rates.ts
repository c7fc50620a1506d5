// Limits by endpoint, as settings and commands write them: `POST /transcribe=20,GET /files=200`, or `off`.

/** Endpoint (`GET /files`, paths as in the reference) → requests per minute. */
export type EndpointRates = Readonly<Record<string, number>>

/** `off`: no limits at all. */
export type Rates = 'off' | EndpointRates

const RATE_MAX = 1_000_000

/** Empty text gives no rates of its own. Throws an Error whose message completes the sentence "NAME …". */
export function parseRates(text: string): Rates {
  if (text.trim() === 'off') return 'off'
  const rates: Record<string, number> = {}
  for (const part of text.split(',').map((piece) => piece.trim())) {
    if (part === '') continue
    const match = /^(GET|POST|PUT|DELETE)\s+(?:\/v1)?(\/[\w{}/.-]+)\s*=\s*(\d+)$/.exec(part)
    const rate = Number(match?.[3])
    if (!match || rate < 1 || rate > RATE_MAX) {
      throw new Error(
        `has "${part}", which is not an endpoint and its requests per minute (1 to ${RATE_MAX}) ` +
          'such as "POST /transcribe=20"',
      )
    }
    rates[`${match[1]} ${match[2]}`] = rate
  }
  return rates
}

export function formatRates(rates: Rates): string {
  if (rates === 'off') return 'off'
  return Object.entries(rates)
    .map(([endpoint, rate]) => `${endpoint}=${rate}`)
    .join(',')
}
