import type { Embedded, InTransaction } from "../internal/Embedded.ts"
import type { DataOf, EventTypes } from "./eventTypes.ts"
import type { WebhookDelivery, WebhookEndpoint, WebhookReplay } from "./views.ts"

/** An endpoint with its signing secret, which is shown this once. */
export interface WithSecret extends WebhookEndpoint {
  readonly secret: string
}

/** A change of an endpoint; a field that is left out stays as it is. */
export interface EndpointUpdate {
  readonly url?: string
  readonly eventTypes?: ReadonlyArray<string>
  readonly description?: string | null
  /** A disabled endpoint gets nothing, and its pending deliveries are dead until they are replayed. */
  readonly status?: "active" | "disabled"
}

/** An event of a tenant. */
export type PublishedEvent<Types extends EventTypes> = {
  readonly [Type in keyof Types & string]: {
    readonly tenant: string
    readonly type: Type
    readonly data: DataOf<Types, Type>
    /**
     * A UUIDv7 of the last 24 hours, or of the next 5 minutes, made unless given. Publishing the same id again changes nothing, so a
     * host that repeats itself gives one.
     */
    readonly id?: string
  }
}[keyof Types & string]

/** Webhooks of a host's tenants. Every method rejects with `EmbedError` where it refuses. */
export interface EmbeddedWebhooks<Types extends EventTypes = EventTypes> extends Embedded {
  /** Starts to deliver, to replay and to tidy up, in this process until `close`. */
  readonly start: () => Promise<void>
  /** Lets what is in flight end, for 20 seconds at most, and closes our connections; a pool of the host stays open. */
  readonly close: () => Promise<void>
  /**
   * Publishes an event and returns its id. With `client` the event is part of the host's transaction that the client is in: it is
   * delivered within milliseconds of the commit, and never if that is rolled back. What the client throws is thrown as it is.
   */
  readonly publish: (event: PublishedEvent<Types>, options?: InTransaction) => Promise<string>
  /** Wakes the workers of all processes. Called after the commit by hosts whose option `notify` is false, or workers only poll. */
  readonly wake: () => Promise<void>
  readonly endpoints: {
    readonly create: (
      tenant: string,
      endpoint: {
        readonly url: string
        /** The types that it gets; all unless given. */
        readonly eventTypes?: ReadonlyArray<string>
        readonly description?: string | null
      }
    ) => Promise<WithSecret>
    /** Newest first, 50 at most. `next`, unless undefined, is `after` of the page that follows. */
    readonly list: (
      tenant: string,
      page?: { readonly limit?: number; readonly after?: string | undefined }
    ) => Promise<{ readonly items: ReadonlyArray<WebhookEndpoint>; readonly next: string | undefined }>
    readonly get: (tenant: string, endpointId: string) => Promise<WebhookEndpoint>
    readonly update: (tenant: string, endpointId: string, change: EndpointUpdate) => Promise<WebhookEndpoint>
    /** Deletes an endpoint. Its deliveries are kept, the pending ones as dead. */
    readonly delete: (tenant: string, endpointId: string) => Promise<WebhookEndpoint>
    /** Gives an endpoint a new secret. The old one signs on for `graceSeconds`, a day by default and a week at most. */
    readonly rotateSecret: (
      tenant: string,
      endpointId: string,
      options?: { readonly graceSeconds?: number }
    ) => Promise<WithSecret>
    /** Sends an endpoint the sample of a type, with `test: true`, and returns the delivery. */
    readonly test: (tenant: string, endpointId: string, type: keyof Types & string) => Promise<WebhookDelivery>
  }
  readonly deliveries: {
    /** The 50 newest of an endpoint, each with its newest attempts. */
    readonly list: (tenant: string, endpointId: string) => Promise<ReadonlyArray<WebhookDelivery>>
    readonly get: (tenant: string, endpointId: string, eventId: string) => Promise<WebhookDelivery>
    /** Sends a delivery again: the same id, the same bytes, a schedule from the start. */
    readonly replay: (tenant: string, endpointId: string, eventId: string) => Promise<WebhookDelivery>
  }
  /**
   * Replays of ranges of deliveries. One goes on while fewer than 100 deliveries of its endpoint are due, so that live ones never wait
   * behind more.
   */
  readonly replays: {
    /** Replays the deliveries of events since a time and before `until`, now by default; only dead ones unless `only` is `all`. */
    readonly start: (
      tenant: string,
      endpointId: string,
      range: { readonly since: Date; readonly until?: Date; readonly only?: "dead" | "all" }
    ) => Promise<WebhookReplay>
    readonly get: (tenant: string, replayId: string) => Promise<WebhookReplay>
  }
}
