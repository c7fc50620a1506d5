// Models: which one each task uses, what is installed, what suits this machine, and getting more.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ModelData } from '../../model-routes.ts'
import { get, path, send } from '../api.ts'
import { Button } from '../components/button.tsx'
import { Confirm } from '../components/dialog.tsx'
import { Notice, Progress, Shown } from '../components/states.tsx'
import { useData } from '../data.ts'
import { bytes, plural } from '../format.ts'
import { Card } from './card.tsx'
import { usePolling } from './polling.ts'

const PATH = '/console/api/models'

type Model = ModelData['models'][number]
type Task = Model['task']
type Choice = ModelData['choices'][number]
type Change = (method: 'POST' | 'DELETE', address: string, body?: unknown) => Promise<void>

const TASKS: Readonly<Record<Task, string>> = {
  speech: 'Speech to text',
  vad: 'Where somebody speaks',
  embedding: 'Search by meaning',
  rerank: 'Order of search hits',
  llm: 'Summaries and answers',
}

export function ModelSettings(): JSX.Element {
  const loaded = useData('models', (signal) => get<ModelData>(PATH, signal))
  const isPulling = loaded.data?.models.some(isUnderWay) === true
  usePolling(loaded.reload, isPulling)
  const change: Change = async (method, address, body) => {
    await send(method, address, body)
    loaded.reload()
  }
  return (
    <Shown of={loaded} what="Looking for models">
      {({ models, choices, hub }) => (
        <>
          {hub === null && (
            <Notice>
              This server downloads nothing. Carry files in and install them with{' '}
              <code>earshot models import FILE</code>.
            </Notice>
          )}
          {choices.map((choice) => (
            <TaskModels
              key={choice.task}
              choice={choice}
              models={models.filter(({ task }) => task === choice.task)}
              canPull={hub !== null}
              onChange={change}
            />
          ))}
        </>
      )}
    </Shown>
  )
}

const isUnderWay = ({ pull }: Model): boolean => pull?.state === 'waiting' || pull?.state === 'running'
const isThere = ({ state }: Model): boolean => state !== 'absent'

interface TaskModelsProps {
  readonly choice: Choice
  readonly models: readonly Model[]
  readonly canPull: boolean
  readonly onChange: Change
}

function TaskModels({ choice, models, canPull, onChange }: TaskModelsProps): JSX.Element {
  const isFirst = (model: Model): boolean => isThere(model) || model.recommended || model.pull !== null
  const others = models.filter((model) => !isFirst(model))
  const listOf = (shown: readonly Model[]): JSX.Element | false =>
    shown.length > 0 && (
      <ul class="settings-list">
        {shown.map((model) => (
          <ModelItem key={model.id} model={model} canPull={canPull} onChange={onChange} />
        ))}
      </ul>
    )
  return (
    <Card
      title={TASKS[choice.task]}
      actions={
        choice.why === 'used' && (
          <Button onPress={() => onChange('POST', `${PATH}/use`, { task: choice.task })}>
            Back to the best one
          </Button>
        )
      }
    >
      <p class="soft">{useOf(choice)}</p>
      {choice.fault !== null && <Notice kind="error">{choice.fault}</Notice>}
      {listOf(models.filter(isFirst))}
      {others.length > 0 && (
        <details>
          <summary>{plural(others.length, 'more model')}</summary>
          {listOf(others)}
        </details>
      )}
    </Card>
  )
}

function useOf({ model, why, task }: Choice): string {
  if (model === null) return task === 'llm' ? 'The built-in engine answers.' : 'None is used.'
  if (why === 'configured') return `Uses ${model}, as the server's settings say.`
  return why === 'used'
    ? `Uses ${model}, as you chose.`
    : `Uses ${model}, the best installed one for this machine.`
}

interface ModelProps {
  readonly model: Model
  readonly canPull: boolean
  readonly onChange: Change
}

function ModelItem({ model, canPull, onChange }: ModelProps): JSX.Element {
  const { id, pull } = model
  return (
    <li>
      <div class="settings-item">
        <h3 class="row">
          <span class="breakable">{model.name}</span>
          {model.in_use && <span class="badge good">In use</span>}
          {model.recommended && <span class="badge">Recommended</span>}
          {model.state === 'embedded' && <span class="badge plain">Built in</span>}
        </h3>
        <p class="soft small breakable">{factsOf(model)}</p>
        {model.notes !== '' && <p class="soft small">{model.notes}</p>}
        {pull !== null && isUnderWay(model) && (
          <>
            <Progress
              value={pull.total_bytes === null ? undefined : pull.received_bytes / pull.total_bytes}
              label={`Download of ${id}`}
            />
            <p class="small number">{progressText(pull)}</p>
          </>
        )}
        {pull !== null && pull.message !== null && !isThere(model) && (
          <Notice kind={pull.state === 'failed' ? 'error' : 'info'}>{pull.message}</Notice>
        )}
      </div>
      <ModelActions model={model} canPull={canPull} onChange={onChange} />
    </li>
  )
}

function ModelActions({ model, canPull, onChange }: ModelProps): JSX.Element {
  const [isRemoving, setRemoving] = useState(false)
  const { id, state, in_use, pull } = model
  if (isUnderWay(model)) {
    return (
      <Button
        label={`Stop the download of ${id}`}
        onPress={() => onChange('DELETE', path(`${PATH}/`, id, '/pull'))}
      >
        Stop
      </Button>
    )
  }
  if (state === 'absent') {
    const isBroken = pull !== null && pull.received_bytes > 0
    return (
      <Button
        icon="download"
        disabled={!canPull}
        label={isBroken ? `Go on with the download of ${id}` : `Download ${id}`}
        onPress={() => onChange('POST', path(`${PATH}/`, id, '/pull'))}
      >
        {isBroken ? 'Go on' : 'Download'}
      </Button>
    )
  }
  return (
    <div class="row">
      {!in_use && (
        <Button label={`Use ${id}`} onPress={() => onChange('POST', `${PATH}/use`, { model: id })}>
          Use
        </Button>
      )}
      {state === 'installed' && (
        <Button kind="danger" label={`Remove ${id}`} onPress={() => setRemoving(true)}>
          Remove
        </Button>
      )}
      {isRemoving && (
        <Confirm
          title={`Remove ${id}?`}
          action="Remove"
          isDangerous
          onConfirm={() => onChange('DELETE', path(`${PATH}/`, id))}
          onClose={() => setRemoving(false)}
        >
          <p>Its files are deleted from this server. It can be downloaded again.</p>
        </Confirm>
      )}
    </div>
  )
}

function factsOf({ id, languages, size_bytes, memory_bytes, licence, state }: Model): string {
  const named = languages[0] === '*' ? 'many languages' : languages.join(', ')
  const size = size_bytes === null || state === 'embedded' ? [] : [`${bytes(size_bytes)} on disk`]
  return [id, named, ...size, `${bytes(memory_bytes)} of memory`, licence].join(' · ')
}

function progressText({ state, received_bytes, total_bytes, file_name }: NonNullable<Model['pull']>): string {
  if (state === 'waiting') return 'Waits for its turn.'
  if (file_name === null) return 'Begins …'
  return total_bytes === null ? bytes(received_bytes) : `${bytes(received_bytes)} of ${bytes(total_bytes)}`
}
