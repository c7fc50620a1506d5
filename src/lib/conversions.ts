// What a credit buys, as the setting EARSHOT_METERS writes it: `standard_request=10000,transcription_hour=3`.

export const METER_NAMES = [
  'standard_request',
  'residential_request',
  'search_request',
  'analysis_request',
  'scene_analysis_hour',
  'transcription_hour',
] as const

export type MeterName = (typeof METER_NAMES)[number]

/** Units per credit, for the meters that differ from what is built in. */
export type Conversions = Readonly<Partial<Record<MeterName, number>>>

const UNITS_MAX = 1_000_000

/** Throws an Error whose message completes the sentence "NAME …". */
export function parseConversions(text: string): Conversions {
  const conversions: Partial<Record<MeterName, number>> = {}
  for (const part of text.split(',').map((piece) => piece.trim())) {
    if (part === '') continue
    const match = /^(\w+)\s*=\s*(\d{1,7})$/.exec(part)
    const meter = METER_NAMES.find((name) => name === match?.[1])
    const units = Number(match?.[2])
    if (!meter || units < 1 || units > UNITS_MAX) {
      throw new Error(
        `has "${part}", which is not a meter (${METER_NAMES.join(', ')}) and its units per credit ` +
          `(1 to ${UNITS_MAX}) such as "transcription_hour=3"`,
      )
    }
    conversions[meter] = units
  }
  return conversions
}
