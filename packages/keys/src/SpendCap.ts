/** The monthly cap of a workspace. Whether its spending has reached the cap is for billing to say (`WorkspaceSpend`). */
import { BigDecimal } from "effect"

/** Whether two caps are the same amount, however many zeros they are written with. */
export const isSameCap = (one: string | null, other: string | null): boolean =>
  one === null || other === null
    ? one === other
    : BigDecimal.equals(BigDecimal.fromStringUnsafe(one), BigDecimal.fromStringUnsafe(other))
