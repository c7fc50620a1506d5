// The billing rules of the contract, one by one.

import { describe, expect, test } from 'bun:test'
import { balance, grant, requireTranscriptionCredit } from '../../src/billing/balance.ts'
import { listDrifted } from '../../src/billing/entries.ts'
import { type Charge, charge, hold, revert, settle, waive } from '../../src/billing/ledger.ts'
import { analysisRequests } from '../../src/billing/meters.ts'
import { usageBlock } from '../../src/billing/usage-block.ts'
import { transaction } from '../../src/db/database.ts'
import { newId } from '../../src/lib/id.ts'
import { createTestLedger } from './support.ts'

const CREDIT = 1_000_000
const LIMIT = expect.objectContaining({ code: 'limit_exceeded' })

function setUp(plan: 'trial' | 'tier2' | 'custom' | 'none' = 'trial') {
  const ledger = createTestLedger()
  const accountId = ledger.account(plan)
  const reference = newId()
  const item = (meter: Charge['meter'], quantity: number): Charge => ({
    accountId,
    reference,
    meter,
    quantity,
  })
  const left = () => balance(ledger, accountId)
  return { ledger, accountId, reference, item, left }
}

/** Thrown value, for what must throw. */
function thrownBy(work: () => void): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe('what a credit buys', () => {
  test.each([
    ['standard_request', 10_000],
    ['residential_request', 200],
    ['search_request', 1_000],
    ['analysis_request', 100],
    ['scene_analysis_hour', 1],
    ['transcription_hour', 3 * 3600],
  ] as const)('%s: %i', (meter, quantity) => {
    const { ledger, item, left } = setUp()
    charge(ledger, item(meter, quantity))
    expect(left().monthlyRemainingMicros).toBe(4 * CREDIT)
  })

  test('the operator may say otherwise', () => {
    const ledger = createTestLedger({ transcription_hour: 1 })
    const accountId = ledger.account('trial')
    charge(ledger, { accountId, reference: newId(), meter: 'transcription_hour', quantity: 3600 })
    expect(balance(ledger, accountId).monthlyRemainingMicros).toBe(4 * CREDIT)
  })

  test('parts of a task cost what the whole costs, to the millionth', () => {
    const { ledger, reference, item, left } = setUp()
    for (let part = 0; part < 100; part++) {
      charge(ledger, { ...item('transcription_hour', 12.345), part: `item ${part}` })
    }
    const whole = setUp()
    charge(whole.ledger, whole.item('transcription_hour', 1234.5))
    expect(left().monthlyRemainingMicros).toBe(whole.left().monthlyRemainingMicros)
    expect(left().monthlyRemainingMicros).toBe(5 * CREDIT - Math.ceil((1234.5 / 10_800) * CREDIT))
    expect(usageBlock(ledger, reference).charges).toEqual([
      {
        service_type: 'transcription_hour',
        quantity: 0.342917,
        credits: 0.114306,
        waived: false,
        credits_saved: 0,
      },
    ])
  })

  test('what is no quantity is a bug and is refused', () => {
    const { ledger, item } = setUp()
    for (const quantity of [-1, 0.5, Number.NaN, Infinity]) {
      expect(() => charge(ledger, item('standard_request', quantity))).toThrow(RangeError)
    }
  })
})

describe('pools', () => {
  test('monthly credits go first, purchased ones cover the rest', () => {
    const { ledger, accountId, reference, item, left } = setUp()
    grant(ledger, { accountId, micros: 2 * CREDIT })
    charge(ledger, item('scene_analysis_hour', 6))
    expect(left()).toMatchObject({ monthlyRemainingMicros: 0, purchasedMicros: CREDIT })
    revert(ledger, reference)
    expect(left()).toMatchObject({ monthlyRemainingMicros: 5 * CREDIT, purchasedMicros: 2 * CREDIT })
  })

  test('a charge that the credits do not reach is refused and changes nothing', () => {
    const { ledger, item, left, reference } = setUp()
    expect(thrownBy(() => charge(ledger, item('scene_analysis_hour', 6)))).toEqual(LIMIT)
    expect(ledger.db.query('select count(*) as n from ledger').get()).toEqual({ n: 0 })
    expect(left().monthlyRemainingMicros).toBe(5 * CREDIT)
    expect(usageBlock(ledger, reference)).toEqual({ charges: [], total_credits: 0 })
  })

  test('what is given back goes to the pool that paid last', () => {
    const { ledger, accountId, item, left } = setUp()
    grant(ledger, { accountId, micros: 2 * CREDIT })
    hold(ledger, item('scene_analysis_hour', 7))
    settle(ledger, item('scene_analysis_hour', 6))
    expect(left()).toMatchObject({ monthlyRemainingMicros: 0, purchasedMicros: CREDIT })
    settle(ledger, item('scene_analysis_hour', 3))
    expect(left()).toMatchObject({ monthlyRemainingMicros: 2 * CREDIT, purchasedMicros: 2 * CREDIT })
  })

  test('a correction takes no more than was granted and not spent', () => {
    const { ledger, accountId, left } = setUp()
    grant(ledger, { accountId, micros: 2 * CREDIT })
    grant(ledger, { accountId, micros: -CREDIT })
    expect(() => grant(ledger, { accountId, micros: -2 * CREDIT })).toThrow('has 1 purchased credits')
    expect(left().purchasedMicros).toBe(CREDIT)
  })

  test('an unlimited account is never refused, and its quantities are counted all the same', () => {
    const { ledger, reference, item, left } = setUp('custom')
    charge(ledger, item('scene_analysis_hour', 1_000_000))
    requireTranscriptionCredit(ledger, left().accountId, 1e9)
    expect(left()).toMatchObject({ unlimited: true, purchasedMicros: 0 })
    expect(usageBlock(ledger, reference).total_credits).toBe(1_000_000)
  })

  test('without a subscription everything that charges is refused, purchased credits or not', () => {
    const { ledger, accountId, item } = setUp('none')
    grant(ledger, { accountId, micros: CREDIT })
    expect(thrownBy(() => hold(ledger, item('standard_request', 1)))).toEqual(LIMIT)
    expect(thrownBy(() => requireTranscriptionCredit(ledger, accountId))).toEqual(LIMIT)
  })
})

describe('the submit gate', () => {
  test('refuses with less than 60 seconds of transcription credit', () => {
    const { ledger, accountId, item } = setUp()
    const minute = Math.ceil((60 / 10_800) * CREDIT)
    charge(ledger, item('standard_request', (5 * CREDIT - minute - 44) / 100))
    requireTranscriptionCredit(ledger, accountId)
    charge(ledger, { ...item('standard_request', 1), part: 'one more' })
    expect(thrownBy(() => requireTranscriptionCredit(ledger, accountId))).toEqual(LIMIT)
  })
})

describe('once', () => {
  test('the same charge twice is one charge; another part is another', () => {
    const { ledger, item, left } = setUp()
    for (let attempt = 0; attempt < 3; attempt++) charge(ledger, item('scene_analysis_hour', 1))
    expect(left().monthlyRemainingMicros).toBe(4 * CREDIT)
    charge(ledger, { ...item('scene_analysis_hour', 1), part: 'b' })
    expect(left().monthlyRemainingMicros).toBe(3 * CREDIT)
  })

  test('a hold that is repeated after its settlement does not undo it', () => {
    const { ledger, item, left } = setUp()
    hold(ledger, item('scene_analysis_hour', 3))
    settle(ledger, item('scene_analysis_hour', 1))
    hold(ledger, item('scene_analysis_hour', 3))
    expect(left().monthlyRemainingMicros).toBe(4 * CREDIT)
    settle(ledger, item('scene_analysis_hour', 1))
    expect(left().monthlyRemainingMicros).toBe(4 * CREDIT)
  })

  test('reverting twice gives back once, and closes the reference', () => {
    const { ledger, reference, item, left } = setUp()
    charge(ledger, item('scene_analysis_hour', 2))
    revert(ledger, reference)
    revert(ledger, reference)
    expect(left().monthlyRemainingMicros).toBe(5 * CREDIT)
    expect(() => charge(ledger, item('scene_analysis_hour', 1))).toThrow('needs a new reference')
    expect(() => settle(ledger, item('scene_analysis_hour', 1))).toThrow('needs a new reference')
  })

  test('what happens in a transaction that fails has not happened', () => {
    const { ledger, item, left } = setUp()
    hold(ledger, item('scene_analysis_hour', 1))
    const crash = () =>
      transaction(ledger.db, () => {
        settle(ledger, item('scene_analysis_hour', 4))
        throw new Error('power cut')
      })
    expect(crash).toThrow('power cut')
    expect(left().monthlyRemainingMicros).toBe(4 * CREDIT)
  })

  test('a refused charge leaves the transaction around it alone', () => {
    const { ledger, item, left } = setUp()
    transaction(ledger.db, () => {
      charge(ledger, item('scene_analysis_hour', 1))
      expect(thrownBy(() => charge(ledger, item('transcription_hour', 1e6)))).toEqual(LIMIT)
    })
    expect(left().monthlyRemainingMicros).toBe(4 * CREDIT)
  })

  test('the reference of one account is refused to another', () => {
    const { ledger, item } = setUp()
    charge(ledger, item('standard_request', 1))
    const other = { ...item('standard_request', 1), accountId: ledger.account('custom'), part: 'b' }
    expect(() => charge(ledger, other)).toThrow('belongs to another account')
  })
})

describe('analysis', () => {
  test.each([
    [0, 1],
    [1, 1],
    [15_000, 1],
    [15_001, 2],
    [150_001, 11],
  ])('%i tokens are %i requests', (prompt, requests) => {
    expect(analysisRequests({ prompt, completion: 0 })).toBe(requests)
  })

  test('one unit up front, topped up at the end, with the tokens in one entry', () => {
    const { ledger, reference, item, left } = setUp()
    hold(ledger, item('analysis_request', 1))
    expect(left().monthlyRemainingMicros).toBe(5 * CREDIT - 10_000)
    const tokens = { prompt: 40_000, completion: 1_000 }
    const final = { ...item('analysis_request', analysisRequests(tokens)), tokens }
    settle(ledger, final)
    settle(ledger, final)
    expect(usageBlock(ledger, reference)).toEqual({
      charges: [
        {
          service_type: 'analysis_request',
          quantity: 3,
          credits: 0.03,
          waived: false,
          credits_saved: 0,
          tokens: { prompt_tokens: 40_000, completion_tokens: 1_000, total_tokens: 41_000 },
        },
      ],
      total_credits: 0.03,
    })
  })
})

describe('a top-up beyond the balance', () => {
  test('takes what there is, never more; the work that is done is not lost', () => {
    const { ledger, accountId, reference, item, left } = setUp()
    hold(ledger, item('scene_analysis_hour', 4))
    settle(ledger, item('scene_analysis_hour', 9))
    expect(left()).toMatchObject({ monthlyRemainingMicros: 0, purchasedMicros: 0 })
    expect(usageBlock(ledger, reference)).toMatchObject({ charges: [{ quantity: 9, credits: 5 }] })
    grant(ledger, { accountId, micros: 10 * CREDIT })
    settle(ledger, item('scene_analysis_hour', 9))
    expect(left().purchasedMicros).toBe(10 * CREDIT)
  })

  test('what nobody paid is given back to nobody', () => {
    const { ledger, reference, item, left } = setUp()
    settle(ledger, item('scene_analysis_hour', 9))
    settle(ledger, item('scene_analysis_hour', 6))
    expect(left().monthlyRemainingMicros).toBe(0)
    settle(ledger, item('scene_analysis_hour', 4))
    expect(left().monthlyRemainingMicros).toBe(CREDIT)
    revert(ledger, reference)
    expect(left().monthlyRemainingMicros).toBe(5 * CREDIT)
  })

  test('is refused where the caller asks for that, and the hold stays', () => {
    const { ledger, item, left } = setUp()
    hold(ledger, item('scene_analysis_hour', 4))
    expect(thrownBy(() => settle(ledger, item('scene_analysis_hour', 6), { shortage: 'refuse' }))).toEqual(
      LIMIT,
    )
    settle(ledger, item('scene_analysis_hour', 5), { shortage: 'refuse' })
    expect(left().monthlyRemainingMicros).toBe(0)
  })
})

describe('waived charges', () => {
  test('cost nothing, give back what was held and say what was saved', () => {
    const { ledger, reference, item, left } = setUp()
    hold(ledger, item('transcription_hour', 60))
    for (let attempt = 0; attempt < 2; attempt++) waive(ledger, item('transcription_hour', 5_400))
    expect(left().monthlyRemainingMicros).toBe(5 * CREDIT)
    expect(usageBlock(ledger, reference)).toEqual({
      charges: [
        {
          service_type: 'transcription_hour',
          quantity: 1.5,
          credits: 0,
          waived: true,
          credits_saved: 0.5,
        },
      ],
      total_credits: 0,
      waived: { credits_saved: 0.5 },
    })
    revert(ledger, reference)
    expect(usageBlock(ledger, reference)).toEqual({ charges: [], total_credits: 0 })
  })

  test('an entry that was billed in part says so', () => {
    const { ledger, reference, item } = setUp()
    charge(ledger, { ...item('transcription_hour', 10_800), part: 'item 1' })
    waive(ledger, { ...item('transcription_hour', 5_400), part: 'item 2' })
    expect(usageBlock(ledger, reference)).toMatchObject({
      charges: [{ quantity: 4.5, credits: 1, waived: false, credits_saved: 0.5 }],
      total_credits: 1,
      waived: { credits_saved: 0.5 },
    })
  })
})

describe('failure', () => {
  test('takes every charge of every meter back', () => {
    const { ledger, reference, item, left } = setUp()
    charge(ledger, item('residential_request', 1))
    hold(ledger, item('analysis_request', 1))
    settle(ledger, { ...item('analysis_request', 2), tokens: { prompt: 20_000, completion: 5 } })
    hold(ledger, item('transcription_hour', 60))
    settle(ledger, item('transcription_hour', 10))
    revert(ledger, reference)
    expect(left().monthlyRemainingMicros).toBe(5 * CREDIT)
    expect(usageBlock(ledger, reference)).toEqual({ charges: [], total_credits: 0 })
  })

  test('video_too_long keeps the metadata request', () => {
    const { ledger, reference, item, left } = setUp()
    charge(ledger, item('residential_request', 1))
    hold(ledger, item('transcription_hour', 60))
    revert(ledger, reference, { keep: ['residential_request', 'standard_request'] })
    expect(left().monthlyRemainingMicros).toBe(5 * CREDIT - 5_000)
    expect(usageBlock(ledger, reference).total_credits).toBe(0.005)
  })

  test('pages of a profile: one up front, the rest at the end, all back on failure', () => {
    const { ledger, reference, item, left } = setUp()
    hold(ledger, item('standard_request', 1))
    settle(ledger, item('standard_request', 12))
    expect(left().monthlyRemainingMicros).toBe(5 * CREDIT - 1_200)
    revert(ledger, reference)
    expect(left().monthlyRemainingMicros).toBe(5 * CREDIT)
  })
})

describe('the rows', () => {
  test('cannot be changed, removed or added with sums that do not add up', () => {
    const { ledger, item } = setUp()
    charge(ledger, item('standard_request', 1))
    expect(() => ledger.db.run('update ledger set micros = 0')).toThrow('immutable')
    expect(() => ledger.db.run('delete from ledger')).toThrow('immutable')
    expect(() => ledger.db.run("update billing_periods set plan = 'custom'")).toThrow('immutable')
    const columns = ledger.db
      .query<{ name: string }, []>("select name from pragma_table_info('ledger') where name <> 'id'")
      .all()
      .map(({ name }) => name)
    const copy = columns.map((name) => (name === 'step' ? 'step + 1' : name)).join()
    expect(() =>
      ledger.db.run(
        `insert into ledger (${columns.join()}) select ${copy} from ledger where meter is not null`,
      ),
    ).toThrow('running sums')
    expect(listDrifted(ledger.db)).toEqual([])
  })

  test('a second first charge of the same key is refused by the database itself', () => {
    const { ledger, item } = setUp('custom')
    charge(ledger, item('standard_request', 1))
    const again = `insert into ledger (account_id, kind, pool, micros, unpaid_micros, saved_micros, reference, meter, part,
        step, quantity, waived, prompt_tokens, completion_tokens, note, period_start_at, created_at, monthly_after,
        purchased_after, meter_after)
      select account_id, kind, pool, micros, unpaid_micros, saved_micros, reference, meter, part, step, quantity, waived,
        prompt_tokens, completion_tokens, note, period_start_at, created_at, monthly_after, purchased_after,
        meter_after + quantity from ledger where meter is not null`
    expect(() => ledger.db.run(again)).toThrow('UNIQUE')
  })
})
