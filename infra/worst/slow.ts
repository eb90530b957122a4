/** The agents by this name cost what `slowPreload.ts` makes them cost: others are measured over the same API. */
export const SLOW_NAME = "Slow"
