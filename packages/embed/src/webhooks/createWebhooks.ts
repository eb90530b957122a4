import { atomic, type Created, EVENTS_ADDED, EventId, freshId, PAGE_LIMIT_MAX, Signals } from "@agent-platform/kernel"
import { PgPublishing } from "@agent-platform/postgres"
import { GRACE_SECONDS_MAX, type RegisteredEndpoint, Webhooks } from "@agent-platform/webhooks"
import { DateTime, Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { invalid, readDate, readPage, readWhole } from "../internal/inputs.ts"
import { migrate } from "../internal/migrate.ts"
import { makeEmbeddedRuntime, requireClient } from "../internal/runtime.ts"
import { tenantId } from "../internal/tenant.ts"
import { startBackground } from "./background.ts"
import type { EmbeddedWebhooks, PublishedEvent, WithSecret } from "./EmbeddedWebhooks.ts"
import { translate } from "./errors.ts"
import { type EventTypes, makeRegistry } from "./eventTypes.ts"
import { readDescription, readEndpointId, readEventId, readReplayId, readSubscribed, readUrl } from "./inputs.ts"
import { layerOf } from "./layers.ts"
import { readOptions, type WebhooksOptions } from "./options.ts"
import { type CheckedEvent, Publisher, publishParams, requireId } from "./Publisher.ts"
import { deliveryOf, endpointOf, replayOf } from "./views.ts"

const DAY_SECONDS = 86_400

const callerFor = (tenant: string) => ({
  organizationId: tenantId(tenant),
  actor: { type: "system", id: "host", label: "host" } as const
})

/** The migrations of the schema's tables. `publishing` is for hosts: the SQL function `publish_event` and the names of tenants. */
const DOMAINS = ["webhooks", "publishing"] as const

/**
 * Webhooks for the tenants of a service: endpoints, signed deliveries with retries, replays, and events that are part of the
 * service's own transactions. Throws `EmbedError` (`option_invalid`, `database_invalid`, `schema_invalid`) where an option
 * cannot be used; nothing connects before the first call. See `packages/embed/README.md`.
 */
export const createWebhooks = <const Types extends EventTypes>(
  options: WebhooksOptions<Types>
): EmbeddedWebhooks<Types> => {
  const settings = readOptions(options)
  const { installation } = settings
  const registry = makeRegistry(options.eventTypes, settings.dataBytesMax)
  const { dataBytesMax, notifies } = settings
  const publishSettings = { types: registry.names, dataBytesMax, notifies }
  const runtime = makeEmbeddedRuntime({
    layer: layerOf(settings),
    background: startBackground(settings),
    translate,
    installation,
    domains: DOMAINS
  })
  const use = <A, E>(call: (webhooks: Webhooks["Service"]) => Effect.Effect<A, E>) => runtime.run(Webhooks.use(call))
  const checkEvent = async (event: PublishedEvent<Types>): Promise<CheckedEvent> => {
    const { data, id, tenant, type } = event
    const organizationId = tenantId(tenant)
    const json = await registry.read(type, data)
    const eventId =
      id === undefined
        ? await Effect.runPromise(Effect.provide(freshId(EventId), SecureRandom.layerWebCrypto))
        : requireId(id, DateTime.nowUnsafe())
    return { id: eventId, tenant, organizationId, type, ...json }
  }

  const withSecret = (tenant: string, { value: { endpoint, secret } }: Created<RegisteredEndpoint>): WithSecret => {
    if (secret === null) throw new Error("A creation without an idempotency key answers its secret")
    return { ...endpointOf(tenant, endpoint), secret: Redacted.value(secret) }
  }

  const close = runtime.close

  return {
    migrate: () => migrate(installation, DOMAINS, PgPublishing.configure(publishSettings)),
    start: async () => {
      await runtime.run(Publisher.use((publisher) => publisher.configure(publishSettings)))
      await runtime.start()
    },
    close,
    [Symbol.asyncDispose]: close,

    publish: async (event, { client } = {}) => {
      const checked = await checkEvent(event)
      if (client === undefined) {
        await runtime.run(Publisher.use((publisher) => publisher.publish(checked)))
        return checked.id
      }
      const { schema } = requireClient(client, installation)
      await client.query(PgPublishing.publishStatement(schema), publishParams(checked))
      return checked.id
    },
    wake: () => runtime.run(atomic(Signals.use((signals) => signals.raise(EVENTS_ADDED)))),

    endpoints: {
      create: async (tenant, { description = null, eventTypes = [], url }) => {
        const command = {
          caller: callerFor(tenant),
          url: readUrl(url),
          eventTypes: registry.requireTypes(readSubscribed(eventTypes)),
          description: readDescription(description),
          idempotency: undefined
        }
        // First, because notices about the endpoint name its tenant.
        await runtime.run(Publisher.use((publisher) => publisher.remember(command.caller.organizationId, tenant)))
        return withSecret(tenant, await use((webhooks) => webhooks.registerEndpoint(command)))
      },
      list: async (tenant, page = {}) => {
        const query = { caller: callerFor(tenant), page: readPage(page) }
        const { items, next } = await use((webhooks) => webhooks.listEndpoints(query))
        return { items: items.map((endpoint) => endpointOf(tenant, endpoint)), next }
      },
      get: async (tenant, endpointId) => {
        const query = { caller: callerFor(tenant), endpointId: readEndpointId(endpointId) }
        return endpointOf(tenant, await use((webhooks) => webhooks.readEndpoint(query)))
      },
      update: async (tenant, endpointId, { description, eventTypes, status, url }) => {
        if (status !== undefined && status !== "active" && status !== "disabled") {
          throw invalid('status is "active" or "disabled"')
        }
        const change = {
          url: url === undefined ? undefined : readUrl(url),
          eventTypes: eventTypes === undefined ? undefined : registry.requireTypes(readSubscribed(eventTypes)),
          description: description === undefined ? undefined : readDescription(description),
          status
        }
        const command = { caller: callerFor(tenant), endpointId: readEndpointId(endpointId), change }
        return endpointOf(tenant, await use((webhooks) => webhooks.updateEndpoint(command)))
      },
      delete: async (tenant, endpointId) => {
        const command = { caller: callerFor(tenant), endpointId: readEndpointId(endpointId) }
        return endpointOf(tenant, await use((webhooks) => webhooks.deleteEndpoint(command)))
      },
      rotateSecret: async (tenant, endpointId, { graceSeconds = DAY_SECONDS } = {}) => {
        const command = {
          caller: callerFor(tenant),
          endpointId: readEndpointId(endpointId),
          graceSeconds: readWhole("graceSeconds", graceSeconds, 0, GRACE_SECONDS_MAX),
          idempotency: undefined
        }
        return withSecret(tenant, await use((webhooks) => webhooks.rotateSecret(command)))
      },
      test: async (tenant, endpointId, type) => {
        const command = {
          caller: callerFor(tenant),
          endpointId: readEndpointId(endpointId),
          kind: registry.kindOf(type),
          idempotency: undefined
        }
        const { value: delivery } = await use((webhooks) => webhooks.sendTestEvent(command))
        return deliveryOf({ delivery, attempts: [] })
      }
    },

    deliveries: {
      list: async (tenant, endpointId) => {
        const page = { limit: PAGE_LIMIT_MAX, before: undefined }
        const query = { caller: callerFor(tenant), endpointId: readEndpointId(endpointId), page }
        return (await use((webhooks) => webhooks.listDeliveries(query))).items.map(deliveryOf)
      },
      get: async (tenant, endpointId, eventId) => {
        const query = {
          caller: callerFor(tenant),
          endpointId: readEndpointId(endpointId),
          eventId: readEventId(eventId)
        }
        return deliveryOf(await use((webhooks) => webhooks.readDelivery(query)))
      },
      replay: async (tenant, endpointId, eventId) => {
        const command = {
          caller: callerFor(tenant),
          endpointId: readEndpointId(endpointId),
          eventId: readEventId(eventId)
        }
        return deliveryOf(await use((webhooks) => webhooks.replayDelivery(command)))
      }
    },

    replays: {
      start: async (tenant, endpointId, { only = "dead", since, until }) => {
        if (only !== "dead" && only !== "all") throw invalid('only is "dead" or "all"')
        const command = {
          caller: callerFor(tenant),
          endpointId: readEndpointId(endpointId),
          since: readDate("since", since),
          until: until === undefined ? undefined : readDate("until", until),
          selection: only,
          idempotency: undefined
        }
        return replayOf((await use((webhooks) => webhooks.startReplay(command))).value)
      },
      get: async (tenant, replayId) => {
        const query = { caller: callerFor(tenant), replayId: readReplayId(replayId) }
        return replayOf(await use((webhooks) => webhooks.readReplay(query)))
      }
    }
  }
}
