// What a stand-in for a platform is: the hosts it answers for, and its answers.

export interface Platform {
  readonly hosts: readonly string[]
  /** `url` names the real host. undefined: nothing is there. */
  answer(url: URL, request: Request): Response | undefined | Promise<Response | undefined>
}

export const html = (text: string, status = 200): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/html; charset=utf-8' } })

/** JSON as pages carry it: nothing in it can end the script element. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}

/** An answer that never comes; it ends with the client. */
export function silence(request: Request): Promise<Response> {
  return new Promise((resolve) => {
    request.signal.addEventListener('abort', () => resolve(new Response(null, { status: 499 })))
  })
}
