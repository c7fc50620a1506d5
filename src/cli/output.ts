// What commands print: results on stdout, as columns for people or as JSON for programs; everything else on stderr.

/** Writes one line to stdout. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Writes one line to stderr: notes and failures, never results. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`)
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2))
}

/** Columns wide enough for their content; `-` stands for an empty cell. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const table = [head, ...rows].map((row) => row.map((cell) => (cell === '' ? '-' : cell)))
  const widths = head.map((_, column) => Math.max(...table.map((row) => Bun.stringWidth(row[column] ?? ''))))
  for (const row of table) {
    const cells = row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - Bun.stringWidth(cell)))
    print(cells.join('  ').trimEnd())
  }
}
