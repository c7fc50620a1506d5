// What each plan allows: plain data. The names of plans belong to accounts, what they are worth is here.

import type { Plan } from '../accounts/plans.ts'
import { CREDIT_MICROS } from './meters.ts'

const GB = 1_073_741_824

export type Limit = number | 'unlimited'

export interface PlanTerms {
  readonly name: string
  readonly monthlyMicros: Limit
  readonly storageBytes: Limit
  readonly channels: Limit
  /** Beside `default`. */
  readonly namespaces: number
}

export const PLAN_TERMS: Readonly<Record<Plan, PlanTerms>> = {
  trial: terms('Trial', 5, 5, 2),
  tier2: terms('Tier 2', 15, 50, 3),
  tier3: terms('Tier 3', 80, 500, 15),
  custom: {
    name: 'Custom',
    monthlyMicros: 'unlimited',
    storageBytes: 'unlimited',
    channels: 'unlimited',
    namespaces: 1_000,
  },
  none: { name: 'None', monthlyMicros: 0, storageBytes: 0, channels: 0, namespaces: 5 },
}

function terms(name: string, monthlyCredits: number, storageGb: number, channels: number): PlanTerms {
  return {
    name,
    monthlyMicros: monthlyCredits * CREDIT_MICROS,
    storageBytes: storageGb * GB,
    channels,
    namespaces: 5,
  }
}
