/** The domain's refusals, in words for those who call the door. */
import type { CapReached } from "@agent-platform/billing"
import { EmbedError } from "../internal/EmbedError.ts"
import type { Translate } from "../internal/runtime.ts"

/** The codes of `EmbedError` that this door has. */
export type BillingErrorCode =
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

type Known = CapReached | { readonly _tag: "Other" }

/** As `EmbedError`. */
export const translate: Translate = (given) => {
  const error = given as Known
  if (error._tag !== "CapReached") return undefined
  const { capUsd, reservedUsd: heldBackUsd, spentUsd } = error
  const message = `The customer may spend ${capUsd} USD a month, of which ${spentUsd} are spent and ${heldBackUsd} held back`
  return new EmbedError("cap_reached", message, { capUsd, spentUsd, heldBackUsd }, given)
}
