/** The domain's refusals, in words for those who call the entry point. */
import type { QuotaExceeded } from "@agent-platform/kernel"
import type { ApiKeySettled, ScopeNotGrantable } from "@agent-platform/keys"
import { type ClientErrorCode, type CommonErrorCode, makeTranslate } from "../internal/EmbedError.ts"
import type { VerifyRefusal } from "./EmbeddedKeys.ts"

/** The codes of `EmbedError` that this entry point has. */
export type KeysErrorCode =
  | CommonErrorCode
  | ClientErrorCode
  | "key_not_found"
  | "key_quota_exceeded"
  | "key_settled"
  | "scope_unknown"

export const NO_KEY = ["key_not_found", "The tenant has no key of this id"] as const

/** Turns the domain's errors into `EmbedError`. */
export const translate = makeTranslate<KeysErrorCode>({
  QuotaExceeded: ({ limit }: QuotaExceeded) => [
    "key_quota_exceeded",
    `A tenant has ${limit} keys at most: revoke one first`,
    { limit }
  ],
  ApiKeyNotFound: () => NO_KEY,
  ApiKeySettled: ({ status }: ApiKeySettled) => [
    "key_settled",
    `The key is ${status}, which does not allow this`,
    { status }
  ],
  ScopeNotGrantable: ({ scopes }: ScopeNotGrantable) => [
    "scope_unknown",
    `The key has ${scopes.join(", ")}, which createKeys does not declare any more: revoke it, or declare them`,
    { scopes }
  ],
  ExpiryNotGrantable: () => ["input_invalid", "expiresAt is a time to come"]
})

/** Messages for refused values, which may be shown to the one who sent them. */
export const REFUSALS: Readonly<Record<Exclude<VerifyRefusal, "scope_missing">, string>> = {
  malformed: "This is no key: its form or its checksum is wrong",
  unknown: "There is no such key",
  expired: "The key has expired",
  revoked: "The key was revoked",
  disabled: "The key is disabled",
  address_not_allowed: "The key may not be used from this network address"
}
