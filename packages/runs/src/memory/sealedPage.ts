import type { SealedValue } from "@agent-platform/kernel"

/** Up to `limit` of these values after a position, in the order of their positions. */
export const sealedPage = (
  values: ReadonlyArray<SealedValue>,
  after: string | undefined,
  limit: number
): ReadonlyArray<SealedValue> =>
  values
    .filter(({ position }) => after === undefined || position > after)
    .sort((one, two) => (one.position < two.position ? -1 : 1))
    .slice(0, limit)
