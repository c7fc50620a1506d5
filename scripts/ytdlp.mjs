// Provides a current yt-dlp in .cache/ytdlp on Debian and its kin, from Debian's newer suites, without touching the
// machine's own package sources: a private apt configuration, signatures checked with the Debian keyring.
// Plain Node, no dependencies: it runs before anything else is installed.

import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/** Older releases fail on several of the big sites. */
const OLDEST = '2026.01'
const SUITES = ['trixie-backports', 'sid']
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'
const PYTHON = '/usr/bin/python3'
const PACKAGES = 'usr/lib/python3/dist-packages'

// Isolated (-I): neither the environment nor the working folder can add modules.
const WRAPPER = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
exec ${PYTHON} -I -c 'import sys; sys.path.insert(0, sys.argv.pop(1)); import yt_dlp; yt_dlp.main()' \\
  "$here/${PACKAGES}" "$@"
`

/**
 * `root` is the repository. Returns { path, version }, or { reason } (a sentence) when this machine can't have it that
 * way; Earshot then looks for yt-dlp on the PATH. Costs a millisecond when it is there already.
 * @param {string} root
 * @returns {Promise<{ path: string, version: string } | { reason: string }>}
 */
export async function installYtdlp(root) {
  const folder = join(root, '.cache', 'ytdlp')
  let version = recordedVersion(folder)
  if (version === undefined || version < OLDEST) {
    const reason = obstacle()
    if (reason !== undefined) return { reason }
    try {
      version = fetchFromDebian(folder)
    } catch (error) {
      return { reason: `yt-dlp could not be fetched from Debian: ${lastLine(error)}` }
    }
  }
  // The compiled binary looks beside itself, so that dist/ can be moved away from the repository.
  const tools = join(root, 'dist', 'tools')
  if (recordedVersion(tools) !== version) {
    rmSync(tools, { recursive: true, force: true })
    cpSync(folder, tools, { recursive: true })
  }
  return { path: join(folder, 'yt-dlp'), version }
}

/**
 * The version that was checked when the folder was made.
 * @param {string} folder
 */
function recordedVersion(folder) {
  const file = join(folder, 'VERSION')
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

function obstacle() {
  for (const needed of ['/usr/bin/apt-get', '/usr/bin/dpkg', PYTHON, KEYRING]) {
    if (!existsSync(needed))
      return `yt-dlp was not fetched because ${needed} is missing: install yt-dlp ≥ ${OLDEST}`
  }
  const minor = spawnSync(PYTHON, ['-c', 'import sys; print(sys.version_info >= (3, 10))'], {
    encoding: 'utf8',
  })
  return minor.stdout.trim() === 'True'
    ? undefined
    : `yt-dlp needs Python 3.10 or newer, and ${PYTHON} is older`
}

/** @param {string} folder */
function fetchFromDebian(folder) {
  const work = `${folder}.new`
  const apt = join(work, 'apt')
  rmSync(work, { recursive: true, force: true })
  for (const part of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(join(apt, part), { recursive: true })
  let failure = new Error('no suite has it')
  for (const suite of SUITES) {
    try {
      download(apt, suite)
      const deb = execFileSync('sh', ['-c', 'ls -t *.deb | head -n 1'], { cwd: apt, encoding: 'utf8' }).trim()
      execFileSync('dpkg', ['-x', join(apt, deb), join(work, 'x')])
      return install(work, folder)
    } catch (error) {
      failure = error
    }
  }
  rmSync(work, { recursive: true, force: true })
  throw failure
}

/**
 * Leaves the package file in `apt`. apt refuses whatever the Debian keyring has not signed.
 * @param {string} apt
 * @param {string} suite
 */
function download(apt, suite) {
  writeFileSync(join(apt, 'sources.list'), `deb [signed-by=${KEYRING}] ${mirror()} ${suite} main\n`)
  writeFileSync(join(apt, 'status'), '')
  writeFileSync(
    join(apt, 'apt.conf'),
    [
      `Dir::Etc::sourcelist "${apt}/sources.list";`,
      'Dir::Etc::sourceparts "-";',
      'Dir::Etc::preferences "-";',
      'Dir::Etc::preferencesparts "-";',
      `Dir::State::lists "${apt}/lists";`,
      `Dir::State::status "${apt}/status";`,
      `Dir::Cache "${apt}/cache";`,
      'APT::Get::AllowUnauthenticated "false";',
      'Acquire::AllowInsecureRepositories "false";',
      'Acquire::Languages "none";',
      'Acquire::Retries "3";',
      // The _apt user can't write into a private folder.
      'APT::Sandbox::User "root";',
      // Hooks that tidy or announce changes to the machine's own state have no business here.
      '#clear APT::Update;',
      '#clear DPkg;',
      '#clear Acquire::IndexTargets;',
      'Acquire::IndexTargets { deb::Packages { MetaKey "$(COMPONENT)/binary-$(ARCHITECTURE)/Packages"; }; };',
      '',
    ].join('\n'),
  )
  /** @param {string[]} args */
  const run = (...args) =>
    execFileSync('apt-get', ['-q', '-c', join(apt, 'apt.conf'), ...args], {
      cwd: apt,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  run('update', '--error-on=any')
  run('download', 'yt-dlp')
}

/** The Debian mirror that this machine uses already, if it uses one. */
function mirror() {
  const { stdout } = spawnSync('apt-get', ['indextargets', '--format', '$(ORIGIN) $(SITE) $(REPO_URI)'], {
    encoding: 'utf8',
  })
  const line = (stdout ?? '').split('\n').find((entry) => /^Debian .*\/debian\/?$/.test(entry))
  return line?.split(' ')[2] ?? 'http://deb.debian.org/debian'
}

/**
 * @param {string} work
 * @param {string} folder
 */
function install(work, folder) {
  const tree = join(work, 'tree')
  mkdirSync(join(tree, PACKAGES), { recursive: true })
  renameSync(join(work, 'x', PACKAGES, 'yt_dlp'), join(tree, PACKAGES, 'yt_dlp'))
  writeFileSync(join(tree, 'yt-dlp'), WRAPPER)
  chmodSync(join(tree, 'yt-dlp'), 0o755)
  const probe = spawnSync(join(tree, 'yt-dlp'), ['--ignore-config', '--version'], { encoding: 'utf8' })
  const version = probe.status === 0 ? probe.stdout.trim() : 'that does not start'
  if (!(version >= OLDEST && version < '3')) throw new Error(`yt-dlp ${version} is not ${OLDEST} or newer`)
  writeFileSync(join(tree, 'VERSION'), version)
  cpSync(join(work, 'x/usr/share/doc/yt-dlp/copyright'), join(tree, 'copyright'))
  rmSync(folder, { recursive: true, force: true })
  renameSync(tree, folder)
  rmSync(work, { recursive: true, force: true })
  return version
}

/** @param {any} error */
function lastLine(error) {
  const output = String(error.stderr ?? '').trim() || error.message
  return output.split('\n').at(-1)
}
