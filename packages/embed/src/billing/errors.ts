/** The domain's refusals, in words for those who call the entry point. */
import type { CallExceedsCap, CapReached } from "@agent-platform/billing"
import { type CommonErrorCode, makeTranslate } from "../internal/EmbedError.ts"

/** The codes of `EmbedError` that this entry point has. */
export type BillingErrorCode = CommonErrorCode | "call_exceeds_cap" | "cap_reached" | "model_unpriced"

/** Turns the domain's errors into `EmbedError`. */
export const translate = makeTranslate<BillingErrorCode>({
  CallExceedsCap: ({ capUsd, heldUsd: heldBackUsd, leftUsd, wantedUsd }: CallExceedsCap) => [
    "call_exceeds_cap",
    `The call can cost ${wantedUsd} USD and the customer has ${leftUsd} of ${capUsd} left, with ${heldBackUsd} held back`,
    { capUsd, wantedUsd, leftUsd, heldBackUsd }
  ],
  CapReached: ({ capUsd, reservedUsd: heldBackUsd, spentUsd }: CapReached) => [
    "cap_reached",
    `The customer may spend ${capUsd} USD a month, of which ${spentUsd} are spent and ${heldBackUsd} held back`,
    { capUsd, spentUsd, heldBackUsd }
  ]
})
