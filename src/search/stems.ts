// Words → the terms under which the index holds them. SQLite's own tokenizer says so, on a table in memory, so that the
// two can never disagree; what it said is remembered.

import { Database } from 'bun:sqlite'

const REMEMBERED_MAX = 100_000

export interface Stems {
  /** In the same order. A word that the tokenizer finds nothing in stands for itself. */
  of(words: readonly string[]): string[]
}

/** The same `tokenize` as the table `search_words` has. */
export function createStems(): Stems {
  const db = new Database(':memory:', { strict: true })
  db.run(
    `create virtual table stem_words using fts5 (word, content = '', tokenize = 'porter unicode61 remove_diacritics 2')`,
  )
  db.run(`create virtual table stem_terms using fts5vocab ('stem_words', 'instance')`)
  const insert = db.query('insert into stem_words (rowid, word) values ($id, $word)')
  const terms = db.query<{ id: number; term: string }, []>('select doc as id, term from stem_terms')
  const clear = db.query(`insert into stem_words (stem_words) values ('delete-all')`)
  const known = new Map<string, string>()

  function learn(words: readonly string[]): void {
    if (known.size + words.length > REMEMBERED_MAX) known.clear()
    db.transaction(() => {
      for (const [index, word] of words.entries()) insert.run({ id: index + 1, word })
      for (const { id, term } of terms.all()) {
        const word = words[id - 1]
        if (word !== undefined) known.set(word, term)
      }
      clear.run()
    })()
    for (const word of words) if (!known.has(word)) known.set(word, word)
  }

  return {
    of(words) {
      const unknown = words.filter((word) => !known.has(word))
      if (unknown.length > 0) learn([...new Set(unknown)])
      return words.map((word) => known.get(word) ?? word)
    },
  }
}
