// The plans an account can have: plain data.

/** `none`: no subscription; everything that charges is refused. */
export const PLANS = ['trial', 'tier2', 'tier3', 'custom', 'none'] as const

export type Plan = (typeof PLANS)[number]

export function findPlan(text: string): Plan | undefined {
  return PLANS.find((plan) => plan === text)
}
