// POST /search/file: the account's files in which somebody spoke about something.

import type { Guard } from '../accounts/guard.ts'
import { EngineSchema } from '../analysis/engine.ts'
import {
  analyseFound,
  type FoundAnalyses,
  type FoundAnalysis,
  type FoundTranscript,
} from '../analysis/found.ts'
import type { App } from '../app.ts'
import { requireCredit, balance } from '../billing/balance.ts'
import { charge, settle } from '../billing/ledger.ts'
import { analysisRequests, priceMicros, type Tokens } from '../billing/meters.ts'
import { UsageBlock, usageBlock } from '../billing/usage-block.ts'
import { fileLink } from '../files/content.ts'
import { FileInfo, fileInfos } from '../files/file-info.ts'
import { findFile, namespacesOfFiles } from '../files/files.ts'
import { chooseNamespaces } from '../files/namespaces.ts'
import { answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { newId } from '../lib/id.ts'
import { type Infer, t } from '../lib/schema.ts'
import { findFiles, type FoundFiles } from './rank.ts'
import type { Searcher } from './searcher.ts'
import { listFileIds } from './store.ts'

const QUERY_MAX = 2_000
const NAMESPACES_MAX = 1_000

const Person = t.Object({ name: t.String(), context: t.String() })
const Subject = t.Object({ name: t.String(), description: t.String() })

const FileResult = t.Composite([
  FileInfo,
  t.Object({
    file_url: t.Optional(t.String({ format: 'uri', description: 'Works for an hour without a key' })),
    relevance_score: t.Number({
      minimum: 0,
      maximum: 1,
      description: 'About the probability that this is what was looked for',
    }),
    timestamps: t.Array(t.Number(), { description: 'Seconds at which the best moments begin, best first' }),
    relevant_text: t.String(),
    query_answer: t.Optional(t.String()),
    transcript_summary: t.Optional(t.String()),
    people: t.Optional(t.Array(Person)),
    places: t.Optional(t.Array(Person)),
    key_subjects: t.Optional(t.Array(Subject)),
  }),
])

export const SearchAnswer = t.Object({
  status: t.Literal('success'),
  data: t.Object({
    query: t.String(),
    results: t.Array(FileResult),
    total_found: t.Integer({ description: 'Files that fit; at most 20 are shown' }),
    explanation: t.String({ description: 'What was searched, and with which models' }),
  }),
  engine: EngineSchema,
  usage: t.Optional(UsageBlock),
})

/** The analysis of what was found, file by file; what it leaves out is left out of the answer. */
export type FileAnalysis = Pick<
  Infer<typeof FileResult>,
  'query_answer' | 'transcript_summary' | 'people' | 'places' | 'key_subjects'
>

export interface FileSearchOptions {
  readonly publicUrl: () => string
  readonly searcher: Searcher
}

export function fileSearchRoute(app: App, auth: Guard, { publicUrl, searcher }: FileSearchOptions): Route {
  return route(
    {
      method: 'POST',
      path: '/search/file',
      tag: 'Search',
      summary: 'Find files by what is said in them, by meaning and by words',
      auth: auth('search'),
      body: t.Object({
        query: t.String({ minLength: 1, maxLength: QUERY_MAX, examples: ['when do the boats leave'] }),
        namespace_ids: t.Optional(
          t.Array(t.String(), { maxItems: NAMESPACES_MAX, description: 'Only files in one of these' }),
        ),
        include_usage: t.Optional(t.Boolean({ description: 'Attach the usage block of this call' })),
      }),
      responses: { 200: SearchAnswer },
      errors: ['limit_exceeded'],
      charges: true,
    },
    async ({ body, caller, signal, commit }) => {
      const accountId = caller.account.id
      const fileIds = filesIn(app, accountId, body.namespace_ids)
      // Refused before the work; charged after it.
      requireSearchCredit(app, accountId)
      const found = await findFiles(app, searcher, { accountId, query: body.query, fileIds }, signal)
      const looked = await analyseFound(app, transcriptsOf(app, found), { query: body.query, signal })
      return commit(() => {
        const reference = newId()
        chargeSearch(app, { accountId, reference }, looked.tokens)
        const data = {
          query: body.query,
          results: resultsOf(app, accountId, { found, looked }, publicUrl()),
          total_found: found.totalFound,
          explanation:
            found.files.length === 0 ? found.explanation : `${found.explanation} ${looked.explanation}`,
        }
        const usage = body.include_usage === true ? { usage: usageBlock(app, reference) } : {}
        return answer(200, success(data, { engine: looked.engine, ...usage }))
      })
    },
  )
}

/** For the search and for one unit of analysis. Throws `limit_exceeded`. */
function requireSearchCredit(app: App, accountId: string): void {
  const { meters } = app.config
  const needed = priceMicros(meters, 'search_request', 1) + priceMicros(meters, 'analysis_request', 1)
  requireCredit(balance(app, accountId), needed)
}

/** One search_request, and analysis_requests for what was computed: known summaries cost nothing. */
function chargeSearch(
  app: App,
  payer: { readonly accountId: string; readonly reference: string },
  tokens: Tokens,
): void {
  charge(app, { ...payer, meter: 'search_request', quantity: 1 })
  if (tokens.prompt + tokens.completion === 0) return
  settle(app, { ...payer, meter: 'analysis_request', quantity: analysisRequests(tokens), tokens })
}

function transcriptsOf(app: App, { files }: FoundFiles): FoundTranscript[] {
  return files.map(({ fileId, timestamps }) => ({
    transcriptId: findFile(app, fileId)?.transcriptId ?? '',
    timestamps,
  }))
}

/** Undefined (for no list, or an empty one): all. Throws Problem `invalid_parameter` for an unknown namespace. */
function filesIn(app: App, accountId: string, ids: readonly string[] | undefined): string[] | undefined {
  if (ids === undefined || ids.length === 0) return undefined
  chooseNamespaces(app, accountId, ids)
  const wanted = new Set(ids)
  const namespaces = namespacesOfFiles(app, listFileIds(app, accountId))
  return [...namespaces].filter(([, own]) => own.some((id) => wanted.has(id))).map(([fileId]) => fileId)
}

interface Analysed {
  readonly found: FoundFiles
  readonly looked: FoundAnalyses
}

function resultsOf(
  app: App,
  accountId: string,
  { found, looked }: Analysed,
  base: string,
): Infer<typeof FileResult>[] {
  const stored = found.files.flatMap((item, position) => {
    const file = findFile(app, item.fileId)
    // Deleted while the search was under way.
    return file?.accountId === accountId ? [{ file, item, analysis: looked.analyses[position] }] : []
  })
  const infos = fileInfos(
    app,
    accountId,
    stored.map(({ file }) => file),
  )
  return stored.flatMap(({ file, item, analysis }, index) => {
    const info = infos[index]
    if (!info) return []
    const link = file.sha256 === null ? {} : { file_url: fileLink(app, base, file.id).url }
    const { relevance, timestamps, text } = item
    const place = { relevance_score: relevance, timestamps: [...timestamps], relevant_text: text }
    return [{ ...info, ...link, ...place, ...(analysis ? analysisFields(analysis) : {}) }]
  })
}

/** What could not be found out is left out. */
function analysisFields({ answer: said, summary }: FoundAnalysis): FileAnalysis {
  return {
    ...(said === undefined ? {} : { query_answer: said }),
    transcript_summary: summary.summary,
    people: [...summary.people],
    places: [...summary.places],
    key_subjects: summary.keySubjects.map(({ name, description }) => ({ name, description })),
  }
}
