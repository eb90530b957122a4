/** Problems of callers that were recognised, but have lost their right to grant since. */
import type { Caller } from "@agent-platform/contract"
import type { CredentialRefused, ScopeLost } from "@agent-platform/keys"
import { lacks } from "../access.ts"
import { credentialRefused } from "../recogniseKey.ts"
import { sessionRefused } from "../recogniseSession.ts"

/** The problems of a caller that was revoked, removed or narrowed since it was recognised. Its next request gets the same. */
export const lostRightProblems = (caller: Caller) => ({
  CredentialRefused: (error: CredentialRefused) =>
    caller.credential.type === "session" ? sessionRefused(error) : credentialRefused(error),
  ScopeLost: ({ scope }: ScopeLost) => lacks(caller, scope)
})
