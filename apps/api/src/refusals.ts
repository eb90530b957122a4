/** Counts refused credentials and logins for operators. The owners of known keys also see them in their activity. */

import type { CredentialRefused, NotInvited } from "@agent-platform/keys"
import { measure } from "@agent-platform/toolkit"
import { Effect } from "effect"
import { credentialRefusals } from "./measures.ts"

interface Tagged {
  readonly _tag: string
}

const REASONS: Readonly<Record<string, string>> = {
  MalformedCredential: "malformed",
  CredentialUnknown: "unknown",
  AddressNotAllowed: "address",
  LoginStateInvalid: "state",
  LoginRefused: "provider_refused"
}

const reasonOf = (error: Tagged | CredentialRefused | NotInvited): string | undefined =>
  "reason" in error ? error.reason : REASONS[error._tag]

/** Counts a refusal by its reason; other failures are not counted. */
export const countRefusal = (credential: "api_key" | "session" | "login", error: Tagged): Effect.Effect<void> => {
  const reason = reasonOf(error)
  return reason === undefined ? Effect.void : measure(credentialRefusals, { credential, reason }, 1)
}
