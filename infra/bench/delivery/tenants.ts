/** The input of a measurement: organizations, their endpoints, and events that wait to be dispatched. */
import { bodyOf, EventId, type OrganizationId, SecretBox, UnitOfWork, WorkspaceId } from "@agent-platform/kernel"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { layerCrypto } from "@agent-platform/process"
import { parseSecretsKey, SecretBoxAes } from "@agent-platform/secrets"
import { type Endpoint, EndpointId, EndpointStore, generateSecret } from "@agent-platform/webhooks"
import { DateTime, Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { BODY_BYTES } from "./sizes.ts"

/** The key under which the endpoints' secrets lie. */
export const SECRETS_KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

const ports = (url: string) =>
  Layer.unwrap(Effect.map(parseSecretsKey(Redacted.make(SECRETS_KEY)), (keys) => SecretBoxAes.layer(keys))).pipe(
    Layer.provideMerge(layerCrypto),
    Layer.merge(postgres),
    Layer.provideMerge(layerClient({ url: Redacted.make(url), maxConnections: 4 })),
    Layer.orDie
  )

/** An organization and where its events go. */
export interface BenchTenant {
  readonly organizationId: OrganizationId
  readonly endpoints: ReadonlyArray<Endpoint>
}

/** Registers endpoints at these URLs, past the limit of ten, all in one organization of their own. */
export const makeTenant = (databaseUrl: string, urls: ReadonlyArray<string>): Promise<BenchTenant> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const box = yield* SecretBox
    const [organizationId, workspaceId] = [
      (yield* SecureRandom.SecureRandom.use((random) => random.uuidV7())) as OrganizationId,
      WorkspaceId.make(yield* SecureRandom.SecureRandom.use((random) => random.uuidV7()))
    ]
    yield* sql`insert into agent_platform.organization (id, name, created_at) values (${organizationId}, 'bench', now())`
    yield* sql`
      insert into agent_platform.workspace (organization_id, id, name, timezone, created_at)
      values (${organizationId}, ${workspaceId}, 'bench', 'UTC', now())
    `
    const endpoints: Array<Endpoint> = []
    for (const url of urls) {
      const id = EndpointId.make(yield* SecureRandom.SecureRandom.use((random) => random.uuidV7()))
      const endpoint: Endpoint = {
        id,
        organizationId,
        url,
        eventTypes: [],
        workspaceIds: [],
        description: null,
        status: "active",
        disabledReason: null,
        retiringSecrets: [],
        sealedSecret: yield* box.seal(`webhook_endpoint/${id}/secret`, yield* generateSecret),
        createdAt: yield* DateTime.now
      }
      yield* UnitOfWork.use((unit) => unit.atomic(EndpointStore.use((store) => store.insert(endpoint))))
      endpoints.push(endpoint)
    }
    return { organizationId, endpoints }
  }).pipe(Effect.provide(ports(databaseUrl)), Effect.orDie, Effect.runPromise)

/** The data of an event whose body has the usual size. */
const dataOf = (id: EventId, createdAt: DateTime.Utc): string => {
  const noted = (note: string) => JSON.stringify({ note })
  const empty = bodyOf({ id, type: "run.succeeded", createdAt, data: noted("") })
  return noted("x".repeat(BODY_BYTES - empty.length))
}

/** Writes `count` events of each tenant into log and outbox, in bulk; answers how many events that made. */
export const seedEvents = async (
  databaseUrl: string,
  tenants: ReadonlyArray<BenchTenant>,
  count: number
): Promise<number> => {
  const rows = await Effect.runPromise(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const createdAt = yield* DateTime.now
      const made: Array<{ readonly id: EventId; readonly organizationId: OrganizationId; readonly data: string }> = []
      for (let index = 0; index < count; index++) {
        for (const { organizationId } of tenants) {
          const id = EventId.make(SecureRandom.uuidV7Unsafe())
          made.push({ id, organizationId, data: dataOf(id, createdAt) })
        }
      }
      for (let start = 0; start < made.length; start += 1000) {
        yield* sql.unsafe(
          `insert into agent_platform.event (id, organization_id, workspace_id, type, created_at, data)
           select (e->>'id')::uuid, (e->>'organizationId')::uuid, null, 'run.succeeded', now(), e->>'data'
           from json_array_elements($1::json) as e`,
          [JSON.stringify(made.slice(start, start + 1000))]
        )
        yield* sql.unsafe(
          "insert into agent_platform.event_outbox (event_id) select (e->>'id')::uuid from json_array_elements($1::json) as e",
          [JSON.stringify(made.slice(start, start + 1000))]
        )
      }
      return made
    }).pipe(Effect.provide(layerClient({ url: Redacted.make(databaseUrl), maxConnections: 1 })), Effect.orDie)
  )
  return rows.length
}

/** The contents of the database: deliveries by state, and events that are not through yet. */
export const deliveryCounts = (
  databaseUrl: string
): Promise<{
  readonly events: number
  readonly delivered: number
  readonly pending: number
  readonly undispatched: number
}> =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql.unsafe<{
        readonly events: number
        readonly delivered: number
        readonly pending: number
        readonly undispatched: number
      }>(`
        select (select count(*)::int from agent_platform.event) as events, count(*) filter (where state = 'delivered')::int as delivered,
          count(*) filter (where state = 'pending')::int as pending,
          (select count(*)::int from agent_platform.event_outbox) as undispatched
        from agent_platform.webhook_delivery
      `),
      ([row]) => row ?? { events: 0, delivered: 0, pending: 0, undispatched: 0 }
    )
  ).pipe(Effect.provide(layerClient({ url: Redacted.make(databaseUrl), maxConnections: 1 })), Effect.runPromise)

/** Empties everything that deliveries leave behind, and forgets the endpoints. */
export const resetTables = SqlClient.SqlClient.use((sql) =>
  Effect.gen(function* () {
    yield* sql.unsafe(
      `truncate ${["webhook_delivery", "webhook_attempt", "event", "event_outbox", "webhook_replay", "webhook_endpoint"]
        .map((name) => `agent_platform.${name}`)
        .join(", ")}`
    )
  })
)
