// Pulls the model given on stdin and prints each count of received bytes: a process that a test can kill.

import { createModels } from '../../src/engines/models.ts'
import { silentLog } from '../../src/lib/log.ts'
import { plainFetch } from './model-hub.ts'

const [hubUrl = '', dataDir = ''] = process.argv.slice(2)
const model = await Bun.stdin.json()
const config = {
  dataDir,
  modelDirs: [],
  speechModel: 'auto',
  embeddingModel: 'auto',
  rerankModel: 'auto',
  llmModel: 'auto',
  llmUrl: undefined,
  modelHub: hubUrl,
  offline: false,
}
const models = createModels({ config, log: silentLog(), catalogue: [model] })
await models.pull(model.id, {
  fetch: plainFetch,
  onProgress: ({ receivedBytes }) => process.stdout.write(`${receivedBytes}\n`),
})
