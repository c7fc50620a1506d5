// argv → one command → exit code. Engine processes branch off before anything of the command line is loaded.

import process from 'node:process'

// A reader that leaves early (`earshot keys list | head -1`) is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
}

const [command, name] = process.argv.slice(2)
if (command === 'engine' && name !== undefined) {
  const { runEngine } = await import('./engines/engine-main.ts')
  await runEngine(name)
} else {
  const { runCli } = await import('./cli/program.ts')
  const exitCode = await runCli(process.argv.slice(2))
  process.exitCode = exitCode
  // What a failed command leaves open must not keep the process alive; the output of a good one may still be flowing.
  if (exitCode !== 0) process.exit()
}
