/** Problems of creating, changing and rotating keys. */
import { type Caller, Forbidden, UnprocessableContent } from "@agent-platform/contract"
import {
  type AddressNotGrantable,
  type ApiKeySettled,
  type ExpiryNotGrantable,
  type KeyOwner,
  type ScopeNotGrantable,
  scopesOfKind
} from "@agent-platform/keys"
import { idempotencyProblems, invalid, notFound } from "../edge/problems.ts"
import { quotaProblems } from "../quotas.ts"
import { heldProblems } from "./heldProblems.ts"

/** Asking for what one lacks is forbidden; asking for what no such key can have is a fault of the request. */
const scopeProblem = (
  { credential }: Caller,
  owner: KeyOwner,
  { scopes }: ScopeNotGrantable
): Forbidden | UnprocessableContent => {
  const possible: ReadonlyArray<string> = scopesOfKind(owner.workspaceId === null ? "organization" : "workspace")
  const impossible = scopes.filter((scope) => !possible.includes(scope))
  if (impossible.length > 0) {
    return invalid("/scopes", `must not name ${impossible.join(", ")}: no key of this kind can have it`)
  }
  const who = credential.type === "session" ? "Your role" : "The API key"
  return new Forbidden({ code: "insufficient_scope", detail: `${who} cannot give what it lacks: ${scopes.join(", ")}` })
}

/** The answers to grants that are refused. */
export const grantProblems = (caller: Caller, owner: KeyOwner) => ({
  ...heldProblems(caller),
  ScopeNotGrantable: (error: ScopeNotGrantable) => scopeProblem(caller, owner, error),
  ExpiryNotGrantable: ({ detail }: ExpiryNotGrantable) => invalid("/expires_at", `cannot be granted. ${detail}`),
  AddressNotGrantable: ({ networks }: AddressNotGrantable) =>
    invalid(
      "/allowed_ips",
      `cannot be granted. The API key that asks may not be used from all of ${networks.join(", ")}`
    )
})

/** The answers to the creation of a key that is refused. */
export const creationProblems = (caller: Caller, owner: KeyOwner) => ({
  ...idempotencyProblems,
  ...quotaProblems,
  ...grantProblems(caller, owner),
  ApiKeyNotFound: notFound
})

/** The answer to what cannot be done to a key of this status any more, or not now. */
export const settled = (what: "changed" | "rotated", status: ApiKeySettled["status"]) =>
  new UnprocessableContent({ code: "validation_failed", detail: `A key that is ${status} cannot be ${what}` })
