/** Exchanges the code of the link for keys, once. */
import { PAGE_LIMIT_MAX } from "@agent-platform/kernel"
import {
  type ApiKey,
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

/** Two names, since the activity shows a key by its name alone. */
const NAMES = {
  org: "Dashboard, opened by npm start (organization)",
  ws: "Dashboard, opened by npm start (workspace)"
} as const

type Of = keyof typeof NAMES

const ROUTE = "POST /start-link"

/** The person who ran `npm start` also has the database, so the keys are made in the operator's name. */
const GRANTOR: KeyGrantor = {
  actor: { type: "system", id: "npm-start", label: "npm start" },
  scopes: [...WORKSPACE_SCOPES, ...ORGANIZATION_SCOPES, ...NAMED_SCOPES],
  key: null,
  session: null,
  role: null
}

/** Whether the key was made by a link, and not by somebody who has called theirs the same. */
const isOfLink = ({ createdBy, name }: ApiKey, of: Of): boolean =>
  name === NAMES[of] && createdBy.type === GRANTOR.actor.type && createdBy.id === GRANTOR.actor.id

const ownerOf = ({ organizationId, workspaceId }: StartLinkGiven, of: Of) => ({
  organizationId,
  workspaceId: of === "org" ? null : workspaceId
})

/** The keys that a code was exchanged for. */
export interface Exchanged {
  readonly orgKey: string
  readonly workspaceKey: string
}

/**
 * Makes the function that exchanges a code for keys. It returns undefined for a wrong or expired code, and for one that was exchanged
 * before. The code's hash is the idempotency key of the organization's key, so no other process and no restart exchanges it again.
 */
export const makeExchange = Effect.map(Keys, (keys) => {
  const make = Effect.fnUntraced(function* (link: StartLinkGiven, of: Of) {
    const { codeHash, organizationId, workspaceId } = link
    const now = yield* DateTime.now
    const scope = of === "org" ? organizationId : workspaceId
    const { replayed, value } = yield* keys.createApiKey({
      owner: ownerOf(link, of),
      creator: GRANTOR,
      name: NAMES[of],
      // On their own machine a person may do everything. Erasing has to be named, and the organization's key has it; undefined gives
      // the workspace's key all other scopes of its kind.
      scopes: of === "org" ? [...scopesOfKind("organization"), ...NAMED_SCOPES] : undefined,
      expiresAt: DateTime.add(now, { hours: KEY_HOURS }),
      allowedIps: [],
      rateLimit: null,
      metadata: {},
      idempotency: { scope, route: ROUTE, key: codeHash, bodyHash: codeHash }
    })
    if (replayed || value.value === null) return undefined
    return { id: value.key.id, value: Redacted.value(value.value) }
  })

  /** Revokes the keys of former links. */
  const revokeFormer = Effect.fnUntraced(function* (link: StartLinkGiven, of: Of, made: ApiKey["id"]) {
    const owner = ownerOf(link, of)
    const oldest = DateTime.subtract(yield* DateTime.now, { hours: KEY_HOURS })
    let before: string | undefined
    do {
      const { items, next } = yield* keys.listApiKeys({ owner, page: { limit: PAGE_LIMIT_MAX, before } })
      const former = items.filter((key) => isOfLink(key, of) && key.revokedAt === null && key.id !== made)
      for (const { id } of former) yield* keys.revokeApiKey({ owner, id, actor: GRANTOR.actor })
      // Keys come newest first, and those before `oldest` have expired.
      const last = items.at(-1)
      before = last !== undefined && DateTime.isGreaterThan(last.createdAt, oldest) ? next : undefined
    } while (before !== undefined)
  })

  return Effect.fnUntraced(function* (
    link: StartLinkGiven,
    code: string
  ): Effect.fn.Return<Exchanged | undefined, never> {
    if (!isCodeOf(link, code)) return undefined
    const now = yield* DateTime.now
    if (DateTime.toEpochMillis(now) > link.expiresAt) return undefined
    // Not found: the key of an earlier exchange was erased since.
    const exchangedBefore = { IdempotencyInProgress: () => Effect.undefined, ApiKeyNotFound: () => Effect.undefined }
    const orgKey = yield* make(link, "org").pipe(Effect.catchTags(exchangedBefore), Effect.orDie)
    if (orgKey === undefined) return undefined
    const workspaceKey = yield* Effect.orDie(make(link, "ws"))
    if (workspaceKey === undefined) return undefined
    // The code is used up, so this must not fail. The next link revokes the keys that stay.
    yield* Effect.andThen(revokeFormer(link, "org", orgKey.id), revokeFormer(link, "ws", workspaceKey.id)).pipe(
      Effect.catchCause((cause) => Effect.logWarning("Keys of former links are left as they are", cause))
    )
    return { orgKey: orgKey.value, workspaceKey: workspaceKey.value }
  })
})
