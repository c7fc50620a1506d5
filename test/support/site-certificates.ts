// A certificate authority and a server certificate, made by openssl when a test needs them.

import { temporaryFolder } from './make-media.ts'

export interface SiteCertificates {
  /** Path of the authority's PEM file, for EARSHOT_EXTRA_CA. */
  readonly caPath: string
  readonly cert: string
  readonly key: string
  remove(): void
}

/** A certificate for `names`, signed by an authority that nobody else knows. */
export async function makeCertificates(...names: readonly string[]): Promise<SiteCertificates> {
  const folder = temporaryFolder()
  const openssl = (...args: string[]): void => {
    const result = Bun.spawnSync(['openssl', ...args], { cwd: folder.path, stderr: 'pipe' })
    if (result.exitCode !== 0) throw new Error(`openssl ${args.join(' ')}: ${result.stderr.toString()}`)
  }
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '2',
    '-subj',
    '/CN=Test CA',
  )
  openssl('req', ...newKey, '-keyout', 'site.key', '-out', 'site.csr', '-subj', '/CN=site')
  await Bun.write(folder.file('names'), `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`)
  const authority = [
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-days',
    '2',
    '-extfile',
    'names',
  ]
  openssl('x509', '-req', '-in', 'site.csr', '-out', 'site.pem', ...authority)
  return {
    caPath: folder.file('ca.pem'),
    // With the authority, as Chromium wants it (src/engines/browser.ts).
    cert: (await Bun.file(folder.file('site.pem')).text()) + (await Bun.file(folder.file('ca.pem')).text()),
    key: await Bun.file(folder.file('site.key')).text(),
    remove: () => folder.remove(),
  }
}
