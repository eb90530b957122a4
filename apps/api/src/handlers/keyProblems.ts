/** Problems of creating, changing and rotating keys. */
import { type Caller, Forbidden, UnprocessableContent } from "@agent-platform/contract"
import {
  type AddressNotGrantable,
  type ApiKeySettled,
  type ExpiryNotGrantable,
  type KeyOwner,
  NAMED_SCOPES,
  type ScopeNotGrantable,
  scopesOfKind
} from "@agent-platform/keys"
import { idempotencyProblems, invalid, notFound } from "../edge/problems.ts"
import { quotaProblems } from "../quotas.ts"
import { lostRightProblems } from "./lostRightProblems.ts"

/** A scope that the caller lacks is forbidden to it. A scope that no such key can have is a fault of the request. */
const scopeProblem = (
  { credential }: Caller,
  owner: KeyOwner,
  { scopes }: ScopeNotGrantable
): Forbidden | UnprocessableContent => {
  const possible: ReadonlyArray<string> = [
    ...scopesOfKind(owner.workspaceId === null ? "organization" : "workspace"),
    ...NAMED_SCOPES
  ]
  const impossible = scopes.filter((scope) => !possible.includes(scope))
  if (impossible.length > 0) {
    return invalid("/scopes", `must not name ${impossible.join(", ")}: no key of this kind can have it`)
  }
  const who = credential.type === "session" ? "Your role" : "The API key"
  return new Forbidden({ code: "insufficient_scope", detail: `${who} cannot give what it lacks: ${scopes.join(", ")}` })
}

/** The problems of refused grants. */
export const grantProblems = (caller: Caller, owner: KeyOwner) => ({
  ...lostRightProblems(caller),
  ScopeNotGrantable: (error: ScopeNotGrantable) => scopeProblem(caller, owner, error),
  ExpiryNotGrantable: ({ detail }: ExpiryNotGrantable) => invalid("/expires_at", `cannot be granted. ${detail}`),
  AddressNotGrantable: ({ networks }: AddressNotGrantable) =>
    invalid(
      "/allowed_ips",
      `cannot be granted. The API key that asks may not be used from all of ${networks.join(", ")}`
    )
})

/** The problems when the creation of a key is refused. */
export const creationProblems = (caller: Caller, owner: KeyOwner) => ({
  ...idempotencyProblems,
  ...quotaProblems,
  ...grantProblems(caller, owner),
  ApiKeyNotFound: notFound
})

/** The problem when a key of this status cannot be changed or rotated. */
export const settled = (what: "changed" | "rotated", status: ApiKeySettled["status"]) =>
  new UnprocessableContent({ code: "validation_failed", detail: `A key that is ${status} cannot be ${what}` })
