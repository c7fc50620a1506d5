// The architecture as unit tests over the source tree. Each rule also proves on a crooked sample that it can fail.

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSource, readSources } from './support/source-tree.ts'
import {
  browserFaults,
  cycleFaults,
  exportFaults,
  extensionFaults,
  FUNCTION_LINES_MAX,
  ladderFaults,
  machinePathFaults,
  openingFaults,
  ownershipFaults,
  sizeFaults,
  tablesOf,
  unfinishedFaults,
} from './support/tidy-rules.ts'

const ROOT = join(import.meta.dir, '..')

const product = readSources(ROOT, 'src/**/*.{ts,tsx}').filter((file) => !file.path.endsWith('.d.ts'))
const supporting = [...readSources(ROOT, 'test/**/*.ts'), ...readSources(ROOT, 'scripts/**/*.ts')]
const everything = [...product, ...supporting]
const texts = [
  ...new Bun.Glob('{src,test,scripts}/**/*.{ts,tsx,cpp,h,sql,md,html,css,sh,mjs}').scanSync(ROOT),
].map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
const migrations = [...new Bun.Glob('src/db/migrations/*.sql').scanSync(ROOT)]
  .toSorted()
  .map((path) => readFileSync(join(ROOT, path), 'utf8'))

describe('the source tree', () => {
  test('imports only from the own folder or from rungs to the left', () => {
    expect(ladderFaults(product)).toEqual([])
  })

  test('keeps the console’s code in the browser apart from the server’s', () => {
    expect(browserFaults(product)).toEqual([])
  })

  test('has no import cycles', () => {
    expect(cycleFaults(everything)).toEqual([])
  })

  test('keeps files and functions small', () => {
    expect(sizeFaults(everything)).toEqual([])
  })

  test('has no default exports and no re-exports', () => {
    expect(exportFaults(everything)).toEqual([])
  })

  test('writes relative imports with their extension', () => {
    expect(extensionFaults(everything)).toEqual([])
  })

  test('opens every file by saying what it is for', () => {
    expect(openingFaults(everything)).toEqual([])
  })

  test('has nothing marked as unfinished', () => {
    expect(unfinishedFaults(texts)).toEqual([])
  })

  test('names no paths of one machine', () => {
    expect(machinePathFaults(texts)).toEqual([])
  })

  test('has exactly one file that names each table in its SQL', () => {
    expect(ownershipFaults(product, tablesOf(migrations))).toEqual([])
  })
})

describe('the rules notice', () => {
  test('an import from the right, from a file on no rung and from outside src', () => {
    const files = [
      parseSource('src/db/a.ts', "import type { Job } from '../jobs/job.ts'"),
      parseSource('src/lib/b.ts', "export type A = import('../app.ts').App"),
      parseSource('src/stuff/c.ts', "import '../lib/id.ts'"),
      parseSource('src/jobs/d.ts', "import '../../test/support/temp.ts'"),
      parseSource(
        'src/jobs/fine.ts',
        "import '../db/a.ts'\nimport './d.ts'\nimport data from '../../models/x.json'",
      ),
    ]
    expect(ladderFaults(files)).toEqual([
      'src/db/a.ts imports src/jobs/job.ts, which is further right',
      'src/lib/b.ts imports src/app.ts, which is further right',
      'src/stuff/c.ts is on no rung of the ladder',
      'src/jobs/d.ts imports test/support/temp.ts, which is outside src',
    ])
  })

  test('code of the server in the browser, and the other way round; types may be shared', () => {
    const files = [
      parseSource('src/console/ui/a.tsx', "import type { File } from '../../files/file-info.ts'"),
      parseSource('src/console/ui/b.tsx', "import './a.tsx'\nimport { t } from '../../lib/schema.ts'"),
      parseSource('src/console/c.ts', "import type { A } from './ui/a.tsx'"),
      parseSource('src/console/ui/d.ts', "import { readFileSync } from 'node:fs'\nimport 'pino'"),
    ]
    expect(browserFaults(files)).toEqual([
      'src/console/ui/b.tsx runs src/lib/schema.ts, which is not for browsers',
      'src/console/c.ts imports src/console/ui/a.tsx, which is for browsers',
      'src/console/ui/d.ts runs node:fs, which is not for browsers',
      'src/console/ui/d.ts runs pino, which is not for browsers',
    ])
  })

  test('an import cycle, dynamic imports included', () => {
    const files = [
      parseSource('src/lib/a.ts', "import './b.ts'"),
      parseSource('src/lib/b.ts', "export const load = () => import('./a.ts')"),
    ]
    expect(cycleFaults(files)).toEqual(['src/lib/a.ts → src/lib/b.ts → src/lib/a.ts'])
  })

  test('a long function, but not a long list of tests', () => {
    const body = '  call()\n'.repeat(FUNCTION_LINES_MAX)
    expect(sizeFaults([parseSource('a.ts', `export function long() {\n${body}}`)])).toHaveLength(1)
    expect(sizeFaults([parseSource('a.ts', `const long = () => {\n${body}}`)])).toHaveLength(1)
    for (const suite of [
      "describe('tests'",
      "describe.skipIf(!browser)('tests'",
      "describe.each(TABLE)('tests'",
    ]) {
      expect(sizeFaults([parseSource('a.ts', `${suite}, () => {\n${body}})`)])).toEqual([])
    }
    expect(sizeFaults([parseSource('a.ts', '\n'.repeat(401))])).toEqual(['a.ts has 401 lines'])
  })

  test('default exports, re-exports and pass-through exports', () => {
    const text = "import { a } from './a.ts'\nexport { a }\nexport * from './b.ts'\nexport default 1"
    expect(exportFaults([parseSource('c.ts', text)])).toEqual([
      'c.ts re-exports a from ./a.ts',
      'c.ts re-exports * from ./b.ts',
      'c.ts has a default export',
    ])
  })

  test('missing extensions, missing openings, unfinished work and machine paths', () => {
    // Joined here, so that this file does not break the rules itself.
    const text = ["import './a'\nconst b = '", 'home', "someone/b' // TO"].join('/').concat('DO later')
    const file = parseSource('c.ts', text)
    expect(extensionFaults([file])).toHaveLength(1)
    expect(openingFaults([file])).toHaveLength(1)
    expect(unfinishedFaults([file])).toHaveLength(1)
    expect(machinePathFaults([file])).toHaveLength(1)
  })

  test('a table in the SQL of two files, and a table that nobody uses', () => {
    const tables = tablesOf([
      'create table jobs (id text) strict; create table old (id text); create virtual table notes using fts5(text)',
      'drop table old; -- create table comment (id)\nalter table notes rename to words',
    ])
    expect(tables).toEqual(['jobs', 'words'])
    const files = [
      parseSource('src/jobs/queue.ts', 'db.query(`update jobs set a = ${b} where id = $id`)'),
      parseSource('src/files/files.ts', "db.query('select x from files f, jobs j where f.id = j.id')"),
      parseSource('src/cli/jobs.ts', "print('Takes what it needs from jobs and words')"),
    ]
    expect(ownershipFaults(files, tables)).toEqual([
      'jobs is named in the SQL of src/jobs/queue.ts, src/files/files.ts',
      'words is used by no file',
    ])
  })
})
