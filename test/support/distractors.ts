// Made-up talk that nobody looks for: transcript-like passages on many topics, the same ones for the same count.

const TOPICS: readonly (readonly [string, string, string])[] = [
  ['sailing', 'boat mast harbour crew wind rope deck storm', 'reef moor steer repair'],
  ['baking', 'dough loaf oven flour crust tray sugar pastry', 'knead bake cool glaze'],
  ['banking', 'loan rate account branch saver fee deposit bond', 'borrow repay approve raise'],
  ['medicine', 'patient ward nurse dose trial scan clinic symptom', 'treat examine prescribe monitor'],
  ['software', 'server release module test branch ticket log cluster', 'deploy debug merge refactor'],
  ['music', 'orchestra violin rehearsal melody stage album drummer singer', 'play record tune conduct'],
  ['weather', 'front cloud shower frost gust forecast valley thunder', 'cool clear drift measure'],
  ['astronomy', 'comet orbit lens galaxy probe crater dust satellite', 'observe launch track map'],
  ['football', 'coach defender corner league pitch transfer fan whistle', 'score tackle substitute train'],
  ['gardening', 'hedge seed soil rose pot greenhouse slug lawn', 'plant water trim harvest'],
  ['history', 'castle king siege treaty coin monastery map archive', 'conquer rule excavate date'],
  ['energy', 'grid panel cable meter dam gas tariff transformer', 'generate store connect insulate'],
  ['school', 'pupil lesson homework library essay timetable canteen term', 'teach learn mark practise'],
  ['law', 'judge witness appeal statute fine clerk verdict licence', 'sue testify defend amend'],
  ['travel', 'ferry ticket border hostel luggage museum guide platform', 'book cross visit delay'],
  ['office', 'manager deadline invoice desk client printer budget meeting', 'hire schedule report postpone'],
  ['farming', 'tractor barn field cow fence milk grain vet', 'plough feed sow shear'],
  ['theatre', 'actor curtain script costume audience director prop scene', 'rehearse perform cast light'],
  ['cars', 'engine gearbox brake tyre mechanic clutch garage bumper', 'drive service tow polish'],
  ['chess', 'bishop opening pawn clock tournament rook sacrifice board', 'castle resign attack analyse'],
  ['knitting', 'wool needle pattern scarf stitch yarn button sleeve', 'knit unravel sew measure'],
  ['photography', 'camera lens shutter portrait tripod exposure negative studio', 'focus crop print develop'],
  ['archaeology', 'trench pottery grave layer brush bone temple find', 'dig sift catalogue preserve'],
  ['swimming', 'pool lane goggles turn coach breath medal lap', 'dive float kick stretch'],
  ['cooking', 'onion pan sauce pepper knife recipe stock herb', 'chop fry simmer season'],
]
const PEOPLE =
  'Aldous Bettina Corin Delphine Egon Farah Gideon Hanne Ivo Jorun Kasimir Lotte Mirko Nadia Osric Paola'.split(
    ' ',
  )
const PLACES =
  'Ardell Brightmoor Calder Dunmere Eskby Fenwick Garrow Hollin Inverdale Jessop Kirkwall Larch'.split(' ')
const FRAMES = [
  'so {person} told us that the {noun} from {place} was {adjective} and that they had to {verb} it {time}',
  'the first thing you learn about {topic} is that a {noun} and a {noun} are never the same',
  '{time} we went over to {place} to {verb} the {adjective} {noun}, and it took {number} hours',
  'I would not {verb} any {noun} before somebody has looked at the {noun}',
  'people always ask me about the {adjective} {noun}, but for {topic} what counts is the {noun}',
  'there were {number} of us, and {person} was the only one who could {verb} without a {noun}',
  'and then the {noun} broke, right in the middle of it, so {person} had to {verb} with the {adjective} one',
  'my advice is to {verb} slowly, keep the {noun} close and write everything down {time}',
]
const ADJECTIVES = 'old narrow cheap heavy quiet broken modern green wooden spare bright strange'.split(' ')
const TIMES = [
  'last winter',
  'on a Tuesday',
  'before breakfast',
  'in the second week',
  'around noon',
  'every summer',
]
const NUMBERS = 'two three four five six seven eight nine ten'.split(' ')
const SENTENCES = 4

/** About 60 words each. */
export function distractors(count: number): string[] {
  let state = 20_260_131
  const pick = <T>(list: readonly T[]): T => {
    // Park and Miller's generator: the same on every machine.
    state = (state * 48_271) % 2_147_483_647
    return list[state % list.length] as T
  }
  return Array.from({ length: count }, () => {
    const [topic, nouns, verbs] = pick(TOPICS)
    const choices: Readonly<Record<string, () => string>> = {
      topic: () => topic,
      noun: () => pick(nouns.split(' ')),
      verb: () => pick(verbs.split(' ')),
      adjective: () => pick(ADJECTIVES),
      person: () => pick(PEOPLE),
      place: () => pick(PLACES),
      time: () => pick(TIMES),
      number: () => pick(NUMBERS),
    }
    const sentence = (): string =>
      pick(FRAMES).replaceAll(/\{(\w+)\}/g, (_, name: string) => choices[name]?.() ?? '')
    return Array.from({ length: SENTENCES }, sentence).join('. ')
  })
}
