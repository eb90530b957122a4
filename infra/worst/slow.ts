/** `slowPreload.ts` makes agents of this name alone costly, so that others can be measured over the same API. */
export const SLOW_NAME = "Slow"
