/** Reads and operates the organization's webhook endpoints, their deliveries and replays. */
import type { AgentPlatformClient, Delivery, NewEndpoint, NewEndpointDetails } from "@agent-platform/client"
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import type { Session } from "../session/Session.ts"
import type { Listener } from "../session/startLink.ts"
import { PAGE_SIZE, paging } from "./usePages.ts"
import { grantedClient } from "./webhookGrants.ts"

/** Only organization keys operate webhooks. Where a person is signed in, the page calls with a webhook grant, which ends with their session. */
const operatorOf = (session: Session): Promise<AgentPlatformClient> =>
  session.can("webhooks:read") ? Promise.resolve(session.client) : grantedClient(session)

/** Whether one may change endpoints, beside reading them. */
export const mayOperate = ({ can, me }: Session): boolean =>
  can("webhooks:write") || (me.auth.method === "oauth_session" && can("org:admin"))

/** The states that deliveries are filtered by. */
export const DELIVERY_STATES = ["pending", "delivered", "dead"] as const

/** A delivery that is due is sent within moments, unless nothing works at it. */
const SENT_WITHIN_MILLIS = 10_000

/** Whether a delivery is being sent, by the time at which it is due. */
export const isBeingSent = ({ next_attempt_at, state }: Delivery, now: number): boolean => {
  // NaN where nothing is due, with which every comparison is false.
  const overdue = now - Date.parse(next_attempt_at ?? "")
  return state === "pending" && overdue >= 0 && overdue < SENT_WITHIN_MILLIS
}

/** How long the page watches closely once it has had something sent. */
const WATCHED_MILLIS = 10_000

/** When this page itself has last had something sent. */
let sentAt = Number.NEGATIVE_INFINITY

/** Notes that this page has had something sent, once the API has taken it. */
const hasSent = <Taken>(taken: Taken): Taken => {
  sentAt = Date.now()
  return taken
}

/** How often deliveries are read anew while one is being sent that this page may have asked for. */
const SENDING_MILLIS = 300

/** How often while one waits to be sent. */
const WAITING_MILLIS = 2_000

/**
 * How long until deliveries are read anew, which nothing streams; false for not at all. They are read often only just after this page has
 * had something sent, since a busy endpoint is always sending, and never where the list has several `pages`, each of which is a request.
 */
export const rereadMillis = (deliveries: ReadonlyArray<Delivery>, pages = 1): number | false => {
  const now = Date.now()
  const isWatched = pages === 1 && now - sentAt < WATCHED_MILLIS
  if (isWatched && deliveries.some((delivery) => isBeingSent(delivery, now))) return SENDING_MILLIS
  return deliveries.some(({ state }) => state === "pending") ? WAITING_MILLIS : false
}

/** The endpoints, newest first. */
export const endpointsQuery = (session: Session) =>
  infiniteQueryOptions({
    queryKey: ["webhooks", "endpoints"],
    queryFn: async ({ pageParam, signal }) =>
      (await operatorOf(session)).webhooks.listEndpoints({ query: { limit: PAGE_SIZE, cursor: pageParam }, signal }),
    ...paging
  })

/** One endpoint. */
export const endpointQuery = (session: Session, endpointId: string) =>
  queryOptions({
    queryKey: ["webhooks", "endpoint", endpointId],
    queryFn: async ({ signal }) =>
      (await operatorOf(session)).webhooks.getEndpoint({ params: { endpoint_id: endpointId }, signal })
  })

/** The deliveries of an endpoint, by the time of their events, newest first. */
export const deliveriesQuery = (session: Session, endpointId: string, state: Delivery["state"] | undefined) =>
  infiniteQueryOptions({
    queryKey: ["webhooks", "deliveries", endpointId, state],
    queryFn: async ({ pageParam, signal }) =>
      (await operatorOf(session)).webhooks.listDeliveries({
        params: { endpoint_id: endpointId },
        query: { limit: PAGE_SIZE, cursor: pageParam, state },
        signal
      }),
    ...paging
  })

/** As many of an endpoint's latest deliveries tell how it is. */
export const LATEST_DELIVERIES = 20

/** The latest deliveries of an endpoint. */
export const latestDeliveriesQuery = (session: Session, endpointId: string) =>
  queryOptions({
    queryKey: ["webhooks", "deliveries", endpointId, "latest"],
    queryFn: async ({ signal }) => {
      const query = { limit: LATEST_DELIVERIES }
      const params = { endpoint_id: endpointId }
      return (await (await operatorOf(session)).webhooks.listDeliveries({ params, query, signal })).items
    },
    // Who comes back from an endpoint has seen newer ones.
    staleTime: 0
  })

/** One delivery with its attempts. */
export const deliveryQuery = (session: Session, endpointId: string, deliveryId: string) =>
  queryOptions({
    queryKey: ["webhooks", "delivery", endpointId, deliveryId],
    queryFn: async ({ signal }) =>
      (await operatorOf(session)).webhooks.getDelivery({
        params: { endpoint_id: endpointId, delivery_id: deliveryId },
        signal
      })
  })

/** The latest replays of ranges, and how far they have come. */
export const replaysQuery = (session: Session, endpointId: string) =>
  queryOptions({
    queryKey: ["webhooks", "replays", endpointId],
    queryFn: async ({ signal }) => {
      const query = { limit: 5 }
      const params = { endpoint_id: endpointId }
      return (await (await operatorOf(session)).webhooks.listReplays({ params, query, signal })).items
    }
  })

/** Registers an endpoint. Its secret is in the answer. */
export const registerEndpoint = async (session: Session, body: NewEndpoint) =>
  (await operatorOf(session)).webhooks.registerEndpoint({ body })

/** Where `npm start` listens for webhooks; null where it does not listen, or does not tell the holder of this key. */
export const listenerQuery = (key: string | undefined) =>
  queryOptions({
    queryKey: ["webhooks", "listener"],
    queryFn: async ({ signal }): Promise<Listener | null> => {
      const answer = await fetch("/start-link/listener", { headers: { "x-api-key": key ?? "" }, signal })
      return answer.ok ? answer.json() : null
    },
    staleTime: Number.POSITIVE_INFINITY
  })

/** Sends a sample to the active endpoint with this URL, which is registered first where there is none. */
export const receiveAt = async (session: Session, url: string) => {
  const { webhooks } = await operatorOf(session)
  const { items } = await webhooks.listEndpoints({ query: { limit: PAGE_SIZE } })
  const known = items.find((endpoint) => endpoint.url === url && endpoint.status === "active")
  const { id } = known ?? (await webhooks.registerEndpoint({ body: { url } }))
  const { delivery_id } = hasSent(await webhooks.testEndpoint({ params: { endpoint_id: id }, body: {} }))
  return { endpointId: id, deliveryId: delivery_id }
}

/** As `receiveAt`, after the listener was told to refuse the next sample once. */
export const failAt = async (session: Session, { listener_url, received_url }: Listener) => {
  const { ok } = await fetch(received_url, { method: "POST" })
  if (!ok) throw new Error("The listener of npm start does not answer: start it again.")
  return receiveAt(session, listener_url)
}

/** Changes an endpoint, or disables it. */
export const updateEndpoint = async (session: Session, endpointId: string, body: NewEndpointDetails) =>
  (await operatorOf(session)).webhooks.updateEndpoint({ params: { endpoint_id: endpointId }, body })

/** Sends an endpoint events again from now on. */
export const enableEndpoint = async (session: Session, endpointId: string) =>
  (await operatorOf(session)).webhooks.enableEndpoint({ params: { endpoint_id: endpointId } })

/** Ends an endpoint for good. */
export const deleteEndpoint = async (session: Session, endpointId: string) =>
  (await operatorOf(session)).webhooks.deleteEndpoint({ params: { endpoint_id: endpointId } })

/** Gives an endpoint another secret; the old one signs as well for the time of grace. */
export const rotateSecret = async (session: Session, endpointId: string, graceSeconds: number) =>
  (await operatorOf(session)).webhooks.rotateSecret({
    params: { endpoint_id: endpointId },
    body: { grace_seconds: graceSeconds }
  })

/** Sends a sample. */
export const testEndpoint = async (session: Session, endpointId: string) =>
  hasSent(await (await operatorOf(session)).webhooks.testEndpoint({ params: { endpoint_id: endpointId }, body: {} }))

/** Sends a delivery again. */
export const replayDelivery = async (session: Session, endpointId: string, deliveryId: string) =>
  hasSent(
    await (await operatorOf(session)).webhooks.replayDelivery({
      params: { endpoint_id: endpointId, delivery_id: deliveryId },
      body: {}
    })
  )

/** Sends the deliveries of a range again. */
export const startReplay = async (
  session: Session,
  endpointId: string,
  body: { readonly since: string; readonly until: string | null; readonly status: "dead" | "all" }
) => (await operatorOf(session)).webhooks.startReplay({ params: { endpoint_id: endpointId }, body })
