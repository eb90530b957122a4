/** Bodies of provider keys, of a workspace or of a template, as their use cases take them; and the refusals of both. */
import { type providerKeys, UnprocessableContent } from "@agent-platform/contract"
import type { BaseUrlMisplaced, ProviderRejectedKey, RegisterProviderKey } from "@agent-platform/keys"
import { Redacted } from "effect"
import { invalid } from "../edge/problems.ts"

/** The key in the body of a new one. */
export const newKeyIn = (
  payload: typeof providerKeys.NewProviderKey.Type
): Omit<RegisterProviderKey, "caller" | "idempotency" | "provider"> => ({
  value: Redacted.make(payload.key),
  name: payload.name ?? undefined,
  baseUrl: payload.baseUrl ?? null,
  allowedModels: payload.allowedModels ?? null,
  priority: payload.priority,
  fallback: payload.fallback,
  validate: payload.validate
})

/** The provider does not take the value. */
export const rejectedKey = ({ providerCode, providerStatus }: ProviderRejectedKey) =>
  new UnprocessableContent({
    code: "provider_rejected_key",
    detail: "The model provider does not take this key",
    errors: [{ pointer: "/key", code: "invalid_value", detail: "is refused by the model provider" }],
    provider_status: providerStatus,
    provider_code: providerCode
  })

/** A base URL where there can be none, or none where there must be one. */
export const baseUrlMisplaced = ({ missing }: BaseUrlMisplaced) =>
  missing
    ? invalid("/base_url", "is required for this provider", "required")
    : invalid("/base_url", "must not be given: the provider has an address of its own")

/** Nothing of it can be changed any more. */
export const revokedKey = () =>
  new UnprocessableContent({ code: "validation_failed", detail: "The key is revoked and its value erased" })
