/** Bodies of tool secrets, of a workspace or of a template, as their use cases take them. */
import type { toolSecrets } from "@agent-platform/contract"
import { OAUTH_HEADER, parseHostPattern, type ToolSecretMismatch, type ToolSecretSettings } from "@agent-platform/keys"
import { Redacted } from "effect"
import { invalid } from "../edge/problems.ts"

type NewToolSecret = typeof toolSecrets.NewToolSecret.Type

/** A secret text, which can be left out. */
export const redacted = (value: string | undefined) => (value === undefined ? undefined : Redacted.make(value))

/** The problem of a change that does not go with what the secret sends. */
export const mismatch = ({ hasOAuth }: ToolSecretMismatch) =>
  hasOAuth
    ? invalid("/value", "must not be given: the secret is an OAuth client")
    : invalid("/oauth", "must not be given: the secret is the value of a header")

const clientOf = ({ clientSecret: _, scope = null, ...client }: NonNullable<NewToolSecret["oauth"]>) => ({
  ...client,
  scope
})

/** The settings and the value in the body of a new secret; undefined for a body that its schema refuses. */
export const newSecretIn = (
  payload: NewToolSecret
): (ToolSecretSettings & { readonly value: Redacted.Redacted }) | undefined => {
  const { name, oauth } = payload
  const hostPattern = parseHostPattern(payload.hostPattern)
  const value = oauth?.clientSecret ?? payload.value
  const header = oauth == null ? payload.header?.toLowerCase() : OAUTH_HEADER
  if (hostPattern === undefined || header === undefined || value == null) return undefined
  return { name, hostPattern, header, oauth: oauth == null ? null : clientOf(oauth), value: Redacted.make(value) }
}
