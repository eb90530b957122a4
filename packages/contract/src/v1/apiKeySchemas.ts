/** Schemas of API keys, of workspaces and of organizations alike. */
import {
  ALLOWED_IPS_MAX,
  ApiKeyStatus,
  GRACE_SECONDS_MAX,
  GRANT_SECONDS_MAX,
  KeyKind,
  NAMED_SCOPES,
  ORGANIZATION_SCOPES,
  parseNetwork,
  RATE_LIMIT_MAX,
  RATE_LIMIT_WINDOW_SECONDS_MAX,
  Scope,
  WORKSPACE_SCOPES
} from "@agent-platform/keys"
import { Schema } from "effect"
import {
  actorFields,
  count,
  id,
  integer,
  maybe,
  metadata,
  metadataOut,
  name,
  nullableId,
  nullableText,
  orElse,
  pageFields,
  text,
  time
} from "./formats.ts"
import { wire } from "./wire.ts"

/** The longest life that `expires_in_seconds` can give a key: ten years. */
export const EXPIRES_IN_SECONDS_MAX = 315_360_000

/** As many scopes as there are. */
const SCOPES_MAX = WORKSPACE_SCOPES.length + ORGANIZATION_SCOPES.length + NAMED_SCOPES.length

/** The scopes of a key in answers. */
export const scopes = Schema.Array(Scope).annotate({ description: "Scopes of the key", examples: [["runs:read"]] })

const scopesIn = (description: string) =>
  Schema.Array(Scope)
    .annotate({ description })
    .check(Schema.isBetweenLength(1, SCOPES_MAX, { message: `must name 1 to ${SCOPES_MAX} scopes` }))

/** Longer than any network is written. */
const NETWORK_LENGTH_MAX = 64

const isNetwork = (value: string): boolean => value.length <= NETWORK_LENGTH_MAX && parseNetwork(value) !== undefined

const allowedIpsIn = (description: string) =>
  Schema.Array(
    Schema.String.check(
      Schema.makeFilter(isNetwork, {
        message:
          "must be a network such as 203.0.113.0/24 or 2001:db8::/32 without bits beyond its prefix, or one address"
      })
    )
  )
    .annotate({ description, examples: [["203.0.113.0/24", "2001:db8::/32"]] })
    .check(Schema.isBetweenLength(0, ALLOWED_IPS_MAX, { message: `must name at most ${ALLOWED_IPS_MAX} networks` }))

/** One schema for what callers send and one for what they get: generators of clients give each a type of its own. */
const rateLimitSchema = (identifier: string) =>
  wire(
    {
      limit: integer("Most requests at once; each comes back evenly over the window", 1, RATE_LIMIT_MAX),
      windowSeconds: integer("The seconds in which all of them come back", 1, RATE_LIMIT_WINDOW_SECONDS_MAX)
    },
    {
      identifier,
      description: "How often the key may be used",
      examples: [{ limit: 600, window_seconds: 60 }]
    }
  )

const newRateLimit = rateLimitSchema("NewRateLimit")

/** The body that creates a key, of a workspace or of an organization. */
export const NewApiKey = wire(
  {
    name: name("Purpose of the key"),
    scopes: Schema.optionalKey(
      scopesIn(
        "Scopes of the key; never more than the caller can grant, else 403. Missing: all scopes that a key of this kind can have and the caller can grant, but `data:erase`, which must be named"
      )
    ),
    expiresAt: maybe(
      time(
        "When the key stops working: a time to come, and never later than the key that makes it, else 422. Missing: when that key does"
      )
    ),
    expiresInSeconds: maybe(
      integer("The same as a time from now. Not together with `expires_at`", 1, EXPIRES_IN_SECONDS_MAX)
    ),
    allowedIps: Schema.optionalKey(
      allowedIpsIn(
        "The networks that the key may be used from, each inside one of those of the key that makes it; none for " +
          "everywhere. Missing: those of the key that makes it"
      )
    ),
    rateLimit: maybe(newRateLimit),
    metadata: Schema.optionalKey(metadata)
  },
  {
    identifier: "NewApiKey",
    description: "A key to create",
    examples: [{ name: "CI", scopes: ["runs:read", "runs:write"], expires_in_seconds: 86_400 }],
    // By the names of the wire: the body is checked before its members are renamed.
    check: (body) =>
      (body.expires_at ?? null) !== null && (body.expires_in_seconds ?? null) !== null
        ? { path: ["expires_in_seconds"], issue: "must not be given together with expires_at" }
        : undefined
  }
)

/** The body that asks for a grant. */
export const NewWebhookGrant = wire(
  {
    expiresInSeconds: orElse(
      integer("When the grant ends at the latest, as seconds from now", 1, GRANT_SECONDS_MAX).annotate({
        default: GRANT_SECONDS_MAX
      }),
      GRANT_SECONDS_MAX
    )
  },
  { identifier: "NewWebhookGrant", description: "A grant to make", examples: [{ expires_in_seconds: 3_600 }] }
)

/** The body that changes a key. */
export const ApiKeyChange = wire(
  {
    name: Schema.optionalKey(name("Purpose of the key")),
    scopes: Schema.optionalKey(scopesIn("Scopes of the key; never more than the caller has")),
    expiresAt: Schema.optionalKey(Schema.NullOr(time("When the key stops working; null for never"))),
    allowedIps: Schema.optionalKey(allowedIpsIn("The networks that the key may be used from; none for everywhere")),
    rateLimit: Schema.optionalKey(Schema.NullOr(newRateLimit)),
    metadata: Schema.optionalKey(metadata),
    status: Schema.optionalKey(
      Schema.Literals(["active", "disabled"]).annotate({
        description: "Switches the key off (401 `credential_disabled`) and on again"
      })
    )
  },
  {
    identifier: "ApiKeyChange",
    description: "Changes of a key; absent members stay as they are",
    examples: [{ name: "CI of the website", status: "disabled" }]
  }
)

/** The body that gives a key a successor. */
export const ApiKeyRotation = wire(
  {
    graceSeconds: orElse(
      integer(
        "For how long the old value goes on working. Missing: it is refused from its next request on",
        0,
        GRACE_SECONDS_MAX
      ),
      0
    )
  },
  { identifier: "ApiKeyRotation", description: "How to rotate a key", examples: [{ grace_seconds: 3_600 }] }
)

const keyFields = {
  id: id("The key's id"),
  name: text("Purpose of the key"),
  hint: text("The part of the key that may always be shown"),
  kind: KeyKind.annotate({ description: "Whose key it is: one workspace's or the organization's" }),
  workspaceId: nullableId("The key's workspace; null for an organization key"),
  scopes,
  allowedIps: Schema.Array(Schema.String).annotate({
    description: "The networks that the key may be used from; none for everywhere"
  }),
  rateLimit: Schema.NullOr(rateLimitSchema("RateLimit")).annotate({
    description: "How often the key may be used; null for no limit"
  }),
  status: ApiKeyStatus.annotate({
    description:
      "active: accepted. rotating: another key took its place (`replaced_by`), and it is accepted until " +
      "`expires_at`. disabled: switched off. No other than the first two is accepted"
  }),
  version: count("Counts the changes of the key, its uses excepted. For `If-Match`"),
  createdAt: time("When the key was created"),
  createdBy: wire(actorFields, { identifier: "Creator", description: "Who created the key" }),
  expiresAt: Schema.NullOr(time("When the key stops working; null for never")),
  lastUsedAt: Schema.NullOr(
    time(
      "When the key was last accepted, give or take a minute; null for never. It is written some seconds after the use, and may be lost when a process dies"
    )
  ),
  replacedBy: nullableText("The key that took its place; null for none"),
  sessionId: nullableId("For a grant, the session that it ends with; null for every other key"),
  metadata: metadataOut
}

/** A key as a list shows it: without its value. */
export const ApiKeyView = wire(keyFields, { identifier: "ApiKey", description: "A key without its value" })

/** A key as its creation shows it: with its value, this once. */
export const CreatedApiKeyView = wire(
  {
    ...keyFields,
    key: nullableText("The key's value. Shown this once: null when the request is repeated under its Idempotency-Key")
  },
  { identifier: "CreatedApiKey", description: "A new key with its value" }
)

/** A rotated key and its successor. */
export const RotatedApiKeyView = wire(
  {
    new: CreatedApiKeyView,
    old: wire(
      {
        id: id("The key's id"),
        status: Schema.Literal("rotating"),
        expiresAt: time("When the old value stops working")
      },
      { identifier: "ReplacedApiKey", description: "A key whose place another takes" }
    )
  },
  { identifier: "RotatedApiKey", description: "A key's successor, and the key itself" }
)

/** A page of keys. */
export const ApiKeyPage = wire(pageFields(ApiKeyView, "Newest first, revoked ones included"), {
  identifier: "ApiKeyPage",
  description: "Keys, newest first"
})

/** A revoked key. */
export const RevokedApiKey = wire(
  {
    id: id("The key's id"),
    status: Schema.Literal("revoked"),
    revokedAt: time("When it was revoked for the first time"),
    descendantsRevoked: Schema.optionalKey(
      count(
        "How many keys it has made, those have made, and so on: all of them are revoked. Where `descendants` is true"
      )
    )
  },
  { identifier: "RevokedApiKey", description: "A key that works no more" }
)
