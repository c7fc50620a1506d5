// Structured logs on stderr (stdout belongs to commands). Keys and secrets are redacted by name as a last resort.

import pino from 'pino'
import pretty from 'pino-pretty'

export type Log = pino.Logger

const SECRET_FIELDS = [
  'key',
  'secret',
  'authorization',
  'password',
  'cookie',
  '*.key',
  '*.secret',
  '*.authorization',
]

export function createLog(format: 'json' | 'pretty', level = 'info'): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_FIELDS, censor: '[redacted]' },
    serializers: { err: pino.stdSerializers.errWithCause },
  }
  if (format === 'json') return pino(options, pino.destination({ fd: 2, sync: true }))
  return pino(
    options,
    pretty({ destination: 2, sync: true, colorize: process.stderr.isTTY, ignore: 'hostname,pid' }),
  )
}

/** For tests and one-shot commands. */
export function silentLog(): Log {
  return pino({ level: 'silent' })
}
