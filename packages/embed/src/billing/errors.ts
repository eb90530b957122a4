/** The domain's refusals, in words for those who call the door. */
import type { CallExceedsCap, CapReached } from "@agent-platform/billing"
import { EmbedError } from "../internal/EmbedError.ts"
import type { Translate } from "../internal/runtime.ts"

/** The codes of `EmbedError` that this door has. */
export type BillingErrorCode =
  | "call_exceeds_cap"
  | "cap_reached"
  | "closed"
  | "database_failed"
  | "database_invalid"
  | "input_invalid"
  | "model_unpriced"
  | "not_migrated"
  | "option_invalid"
  | "schema_ahead"
  | "schema_invalid"
  | "schema_taken"
  | "tenant_invalid"

type Known = CallExceedsCap | CapReached | { readonly _tag: "Other" }

/** As `EmbedError`. */
export const translate: Translate = (given) => {
  const error = given as Known
  if (error._tag === "CallExceedsCap") {
    const { capUsd, heldUsd: heldBackUsd, leftUsd, wantedUsd } = error
    const message = `The call can cost ${wantedUsd} USD and the customer has ${leftUsd} of ${capUsd} left, with ${heldBackUsd} held back`
    return new EmbedError("call_exceeds_cap", message, { capUsd, wantedUsd, leftUsd, heldBackUsd }, given)
  }
  if (error._tag !== "CapReached") return undefined
  const { capUsd, reservedUsd: heldBackUsd, spentUsd } = error
  const message = `The customer may spend ${capUsd} USD a month, of which ${spentUsd} are spent and ${heldBackUsd} held back`
  return new EmbedError("cap_reached", message, { capUsd, spentUsd, heldBackUsd }, given)
}
