/** The domain's refusals, in words for those who call the door. */
import type { QuotaExceeded } from "@agent-platform/kernel"
import type { ApiKeySettled, ExpiryNotGrantable, ScopeNotGrantable } from "@agent-platform/keys"
import { EmbedError } from "../internal/EmbedError.ts"
import type { Translate } from "../internal/runtime.ts"
import type { VerifyRefusal } from "./EmbeddedKeys.ts"

/** The codes of `EmbedError` that this door has. */
export type KeysErrorCode =
  | "client_without_database"
  | "client_without_transaction"
  | "closed"
  | "database_failed"
  | "database_invalid"
  | "input_invalid"
  | "key_not_found"
  | "key_quota_exceeded"
  | "key_settled"
  | "not_migrated"
  | "option_invalid"
  | "schema_ahead"
  | "schema_invalid"
  | "schema_taken"
  | "scope_unknown"
  | "tenant_invalid"

type Known =
  | QuotaExceeded
  | ApiKeySettled
  | ScopeNotGrantable
  | ExpiryNotGrantable
  | { readonly _tag: "ApiKeyNotFound" }

/** As `EmbedError`. */
export const translate: Translate = (given) => {
  const error = given as Known
  const refuse = (code: KeysErrorCode, message: string, details = {}) => new EmbedError(code, message, details, given)
  switch (error._tag) {
    case "QuotaExceeded":
      return refuse("key_quota_exceeded", `A tenant has ${error.limit} keys at most: revoke one first`, {
        limit: error.limit
      })
    case "ApiKeyNotFound":
      return refuse("key_not_found", "The tenant has no key of this id")
    case "ApiKeySettled":
      return refuse("key_settled", `The key is ${error.status}, which does not allow this`, { status: error.status })
    case "ScopeNotGrantable":
      return refuse(
        "scope_unknown",
        `The key has ${error.scopes.join(", ")}, which createKeys does not declare any more: revoke it, or declare them`,
        { scopes: error.scopes }
      )
    case "ExpiryNotGrantable":
      return refuse("input_invalid", "expiresAt is a time to come")
    default:
      return undefined
  }
}

/** Refusals of values, as they may be shown. */
export const REFUSALS: Readonly<Record<Exclude<VerifyRefusal, "scope_missing">, string>> = {
  malformed: "This is no key: its form or its checksum is wrong",
  unknown: "There is no such key",
  expired: "The key has expired",
  revoked: "The key was revoked",
  disabled: "The key is disabled",
  address_not_allowed: "The key may not be used from this network address"
}
