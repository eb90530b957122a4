/** Problems of callers that were recognised, but may grant nothing any more. */
import type { Caller } from "@agent-platform/contract"
import type { CredentialRefused, ScopeLost } from "@agent-platform/keys"
import { lacks } from "../access.ts"
import { credentialRefused } from "../recogniseKey.ts"
import { sessionRefused } from "../recogniseSession.ts"

/** The answers to a caller that was revoked, removed or narrowed since it was recognised: those that it gets from now on. */
export const heldProblems = (caller: Caller) => ({
  CredentialRefused: (error: CredentialRefused) =>
    caller.credential.type === "session" ? sessionRefused(error) : credentialRefused(error),
  ScopeLost: ({ scope }: ScopeLost) => lacks(caller, scope)
})
