// The head of a request to the egress proxy: strict, so that what is checked is what is sent. Anything that two parsers
// could read differently (folded lines, odd lengths, chunked bodies, control characters) is refused.

/** The HTTP status that tells the client what was wrong. */
export class ProxyRequestError extends Error {
  override readonly name = 'ProxyRequestError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export interface ProxyRequest {
  /** Name or address, without brackets. */
  readonly host: string
  readonly port: number
  /** Value of Proxy-Authorization. */
  readonly authorization: string | undefined
  /** The head to send on, blank line included; undefined for CONNECT. */
  readonly head: string | undefined
  /** How many bytes of body may follow `head`. */
  readonly bodyBytes: number
}

const HOP_BY_HOP = /^(?:proxy-[a-z-]*|connection|keep-alive|te|trailer|upgrade|host)$/

/** `text` is everything before the blank line, as latin1. Throws ProxyRequestError. */
export function parseProxyRequest(text: string): ProxyRequest {
  const [requestLine = '', ...lines] = text.split('\r\n')
  const match = /^([A-Z]{1,20}) ([\u0021-\u007e]{1,16384}) HTTP\/1\.[01]$/.exec(requestLine)
  const [, method, target] = match ?? []
  if (method === undefined || target === undefined) throw new ProxyRequestError(400, 'not a request line')
  const headers = lines.map(parseHeader)
  const authorization = headers.find(({ name }) => name === 'proxy-authorization')?.value
  if (method === 'CONNECT') return { ...parseAuthority(target), authorization, head: undefined, bodyBytes: 0 }
  const url = URL.parse(target)
  if (!url || url.protocol !== 'http:' || url.username !== '' || url.password !== '') {
    throw new ProxyRequestError(400, 'only absolute http URLs can be proxied')
  }
  if (headers.some(({ name }) => name === 'transfer-encoding'))
    throw new ProxyRequestError(411, 'length required')
  const kept = headers.filter(({ name }) => !HOP_BY_HOP.test(name)).map(({ line }) => line)
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 80 : Number(url.port),
    authorization,
    head: [
      `${method} ${url.pathname}${url.search} HTTP/1.1`,
      `Host: ${url.host}`,
      ...kept,
      'Connection: close',
      '\r\n',
    ].join('\r\n'),
    bodyBytes: contentLength(headers),
  }
}

interface Header {
  readonly name: string
  readonly value: string
  readonly line: string
}

function parseHeader(line: string): Header {
  const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\u0020-\u007e\u0080-\u00ff]*)$/.exec(line)
  const [, name, value] = match ?? []
  if (name === undefined || value === undefined) throw new ProxyRequestError(400, 'not a header line')
  return { name: name.toLowerCase(), value: value.trim(), line }
}

function parseAuthority(target: string): { host: string; port: number } {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^[\]:/?#@\\%]+)):(\d{1,5})$/.exec(target)
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3])
  if (host === undefined || !(port >= 1 && port <= 65_535)) throw new ProxyRequestError(400, 'not host:port')
  return { host, port }
}

function contentLength(headers: readonly Header[]): number {
  const values = headers.filter(({ name }) => name === 'content-length').map(({ value }) => value)
  const [value = '0'] = values
  if (values.length > 1 || !/^\d{1,15}$/.test(value)) throw new ProxyRequestError(400, 'not a content length')
  return Number(value)
}
