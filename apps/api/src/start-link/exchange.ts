/** Exchanges the code of the link for keys, once. */
import {
  type KeyGrantor,
  Keys,
  NAMED_SCOPES,
  ORGANIZATION_SCOPES,
  scopesOfKind,
  WORKSPACE_SCOPES
} from "@agent-platform/keys"
import { DateTime, Effect, Redacted } from "effect"
import { isCodeOf, type StartLinkGiven } from "./StartLink.ts"

/** How long the keys of a link work. */
export const KEY_HOURS = 12

const ROUTE = "POST /start-link"

/** Who has started the platform has its database as well: the keys are given in the operator's name. */
const GRANTOR: KeyGrantor = {
  actor: { type: "system", id: "npm-start", label: "npm start" },
  scopes: [...WORKSPACE_SCOPES, ...ORGANIZATION_SCOPES, ...NAMED_SCOPES],
  key: null,
  session: null,
  role: null
}

/** The keys that a code was exchanged for. */
export interface Exchanged {
  readonly orgKey: string
  readonly workspaceKey: string
}

/**
 * The keys for this code; undefined where it is another one, too old, or was exchanged before, also by another process or
 * before a restart: that it is taken is written together with the organization's key.
 */
export const makeExchange = Effect.map(Keys, (keys) => {
  const make = Effect.fnUntraced(function* (
    { codeHash, organizationId, workspaceId }: StartLinkGiven,
    of: "org" | "ws"
  ) {
    const now = yield* DateTime.now
    const scope = of === "org" ? organizationId : workspaceId
    const { replayed, value } = yield* keys.createApiKey({
      owner: { organizationId, workspaceId: of === "org" ? null : workspaceId },
      creator: GRANTOR,
      name: "Dashboard, opened by npm start",
      // Who works by hand on their own machine may do everything, erasing included.
      scopes: of === "org" ? [...scopesOfKind("organization"), ...NAMED_SCOPES] : undefined,
      expiresAt: DateTime.add(now, { hours: KEY_HOURS }),
      allowedIps: [],
      rateLimit: null,
      metadata: {},
      idempotency: { scope, route: ROUTE, key: codeHash, bodyHash: codeHash }
    })
    return replayed || value.value === null ? undefined : Redacted.value(value.value)
  })
  return Effect.fnUntraced(function* (
    link: StartLinkGiven,
    code: string
  ): Effect.fn.Return<Exchanged | undefined, never> {
    if (!isCodeOf(link, code)) return undefined
    const now = yield* DateTime.now
    if (DateTime.toEpochMillis(now) > link.expiresAt) return undefined
    const taken = { IdempotencyInProgress: () => Effect.undefined, ApiKeyNotFound: () => Effect.undefined }
    const orgKey = yield* make(link, "org").pipe(Effect.catchTags(taken), Effect.orDie)
    if (orgKey === undefined) return undefined
    const workspaceKey = yield* Effect.orDie(make(link, "ws"))
    return workspaceKey === undefined ? undefined : { orgKey, workspaceKey }
  })
})
