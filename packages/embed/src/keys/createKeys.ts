import { type ApiKey, GRACE_SECONDS_MAX, type KeyGrantor, Keys, statusOf } from "@agent-platform/keys"
import { DateTime, Effect, Redacted } from "effect"
import { dateOf, maybeDate } from "../internal/dates.ts"
import type { InTransaction } from "../internal/Embedded.ts"
import { invalid, readDate, readMetadata, readPage, readWhole } from "../internal/inputs.ts"
import { migrate } from "../internal/migrate.ts"
import { makeEmbeddedRuntime } from "../internal/runtime.ts"
import { tenantId, tenantName } from "../internal/tenant.ts"
import type { EmbeddedKeys, Key, KeyUpdate, NewKey, Verified, VerifyRefusal } from "./EmbeddedKeys.ts"
import { REFUSALS, translate } from "./errors.ts"
import { makeScopeReader, readKeyId, readName, readNetworks } from "./inputs.ts"
import { KeyTenants } from "./KeyTenants.ts"
import { layerOf } from "./layers.ts"
import { type KeysOptions, readOptions } from "./options.ts"

const DAY_SECONDS = 86_400

const actor = { type: "system", id: "host", label: "host" } as const

const ownerOf = (tenant: string) => ({ organizationId: tenantId(tenant), workspaceId: null })

const refused = (code: Exclude<VerifyRefusal, "scope_missing">) =>
  ({ valid: false, code, message: REFUSALS[code] }) as const

/** The migrations of the schema's tables. `keyring` is for hosts, in the place of the platform's `keys`. */
const DOMAINS = ["keyring"] as const

/**
 * API keys for the tenants of a service, with scopes and a prefix of its own: only hashes of their values are kept. Throws
 * `EmbedError` (`option_invalid`, `database_invalid`, `schema_invalid`) where an option cannot be used; nothing connects before
 * the first call. See `packages/embed/README.md`.
 */
export const createKeys = <const Scope extends string>(options: KeysOptions<Scope>): EmbeddedKeys<Scope> => {
  const settings = readOptions(options)
  const { installation } = settings
  const scopes = makeScopeReader(options.scopes)
  const runtime = makeEmbeddedRuntime({
    layer: layerOf(settings),
    background: Effect.void,
    translate,
    installation,
    domains: DOMAINS
  })
  const { close, runIn } = runtime
  const use = <A, E>({ client }: InTransaction, call: (keys: Keys["Service"]) => Effect.Effect<A, E>) =>
    runIn(client, Keys.use(call))
  const host: KeyGrantor = { actor, scopes: settings.scopes, key: null, session: null, role: null }

  const viewAt = (tenant: string, key: ApiKey, now: DateTime.Utc): Key<Scope> => ({
    id: key.id,
    tenant: tenantName(tenant),
    name: key.name,
    hint: key.hint,
    scopes: key.scopes.filter(scopes.isDeclared),
    status: statusOf(key, now),
    allowedIps: [...key.allowedIps],
    metadata: { ...key.metadata },
    createdAt: dateOf(key.createdAt),
    expiresAt: maybeDate(key.expiresAt),
    revokedAt: maybeDate(key.revokedAt),
    lastUsedAt: maybeDate(key.lastUsedAt)
  })
  const view = (tenant: string, key: ApiKey) => viewAt(tenant, key, DateTime.nowUnsafe())

  const withValue = (
    tenant: string,
    { key, value }: { readonly key: ApiKey; readonly value: Redacted.Redacted | null }
  ): NewKey<Scope> => {
    if (value === null) throw new Error("A creation without an idempotency key answers its value")
    return { ...view(tenant, key), value: Redacted.value(value) }
  }

  const readScopes = (given: ReadonlyArray<string>): ReadonlyArray<Scope> => {
    const read = scopes.read(given)
    if (read.length === 0) throw invalid("scopes names at least one scope")
    return read
  }

  const changeOf = (change: KeyUpdate) => ({
    ...(change.name === undefined ? {} : { name: readName(change.name) }),
    ...(change.scopes === undefined ? {} : { scopes: readScopes(change.scopes) }),
    ...(change.expiresAt === undefined
      ? {}
      : { expiresAt: change.expiresAt === null ? null : readDate("expiresAt", change.expiresAt) }),
    ...(change.allowedIps === undefined ? {} : { allowedIps: readNetworks(change.allowedIps) }),
    ...(change.metadata === undefined ? {} : { metadata: readMetadata(change.metadata) }),
    ...(change.disabled === undefined ? {} : { disabled: change.disabled === true })
  })

  return {
    migrate: () => migrate(installation, DOMAINS),
    close,
    [Symbol.asyncDispose]: close,

    create: async (tenant, { allowedIps = [], expiresAt = null, metadata = {}, name, scopes: given }, options = {}) => {
      const owner = ownerOf(tenant)
      const command = {
        owner,
        creator: host,
        name: readName(name),
        scopes: readScopes(given),
        expiresAt: expiresAt === null ? undefined : readDate("expiresAt", expiresAt),
        allowedIps: readNetworks(allowedIps),
        rateLimit: null,
        metadata: readMetadata(metadata),
        idempotency: undefined
      }
      const created = Effect.gen(function* () {
        const [keys, tenants] = [yield* Keys, yield* KeyTenants]
        yield* tenants.remember(owner.organizationId, tenantName(tenant))
        return yield* keys.createApiKey(command)
      })
      return withValue(tenant, (await runIn(options.client, created)).value)
    },
    list: async (tenant, page = {}, options = {}) => {
      const query = { owner: ownerOf(tenant), page: readPage(page) }
      const { items, next } = await use(options, (keys) => keys.listApiKeys(query))
      return { items: items.map((key) => view(tenant, key)), next }
    },
    update: async (tenant, keyId, change, options = {}) => {
      const command = {
        owner: ownerOf(tenant),
        id: readKeyId(keyId),
        change: changeOf(change),
        changer: host,
        ifVersion: undefined
      }
      return view(tenant, await use(options, (keys) => keys.updateApiKey(command)))
    },
    rotate: async (tenant, keyId, { client, graceSeconds = DAY_SECONDS } = {}) => {
      const command = {
        owner: ownerOf(tenant),
        id: readKeyId(keyId),
        rotator: host,
        graceSeconds: readWhole("graceSeconds", graceSeconds, 0, GRACE_SECONDS_MAX),
        idempotency: undefined
      }
      return withValue(tenant, (await use({ client }, (keys) => keys.rotateApiKey(command))).value)
    },
    revoke: async (tenant, keyId, options = {}) => {
      const command = { owner: ownerOf(tenant), id: readKeyId(keyId), actor }
      return view(tenant, await use(options, (keys) => keys.revokeApiKey(command)))
    },

    verify: async (value, needs = {}) => {
      const needed = needs.scopes === undefined ? [] : scopes.read(needs.scopes)
      if (typeof value !== "string") return refused("malformed")
      const request = { credential: Redacted.make(value), workspaceId: undefined, clientAddress: needs.clientAddress }
      const recognised = Effect.gen(function* () {
        const keys = yield* Keys
        const tenants = yield* KeyTenants
        const { key } = yield* keys.authenticate(request)
        const tenant = yield* tenants.nameOf(key.organizationId)
        const shown = viewAt(tenant, key, yield* DateTime.now)
        const lacking = needed.filter((scope) => !shown.scopes.includes(scope))
        const verified: Verified<Scope> =
          lacking.length === 0
            ? { valid: true, tenant: shown.tenant, scopes: shown.scopes, key: shown }
            : { valid: false, code: "scope_missing", message: `The key lacks ${lacking.join(", ")}` }
        return verified
      })
      return runIn(
        needs.client,
        Effect.catchTags(recognised, {
          MalformedCredential: () => Effect.succeed(refused("malformed")),
          CredentialUnknown: () => Effect.succeed(refused("unknown")),
          CredentialRefused: ({ reason }) => Effect.succeed(refused(reason)),
          AddressNotAllowed: () => Effect.succeed(refused("address_not_allowed"))
        })
      )
    }
  }
}
