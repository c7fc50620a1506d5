// Entry of our own engine processes: `earshot engine NAME`, started by the server and by nobody else.

/** Loaded when asked for, so that no other command pays for the native libraries. */
const ENGINES: ReadonlyMap<string, () => Promise<void>> = new Map([
  ['onnx', async () => (await import('./onnx-child.ts')).serveOnnx()],
  // The same program for other models, under a name of its own in the list of processes.
  ['text', async () => (await import('./onnx-child.ts')).serveOnnx()],
  ['extractive', async () => (await import('./extractive/child.ts')).serveExtractive()],
  ['llama', async () => (await import('./llm/llama-child.ts')).serveLlama()],
])

/** Serves the named engine on stdin and stdout until stdin ends. Rejects for an unknown name. */
export async function runEngine(name: string): Promise<void> {
  const serve = ENGINES.get(name)
  if (!serve) throw new Error(`there is no engine "${name}"`)
  await serve()
}
