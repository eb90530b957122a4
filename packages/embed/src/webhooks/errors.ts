/** The domain's refusals, in words for those who call the entry point. */
import type { QuotaExceeded, UrlNotPublic } from "@agent-platform/kernel"
import type { EndpointInactive, EndpointLimitReached, TooManyReplays } from "@agent-platform/webhooks"
import { type CommonErrorCode, makeTranslate } from "../internal/EmbedError.ts"

/** The codes of `EmbedError` that this entry point has. */
export type WebhooksErrorCode =
  | CommonErrorCode
  | "client_without_database"
  | "delivery_not_found"
  | "endpoint_inactive"
  | "endpoint_limit_reached"
  | "endpoint_not_found"
  | "endpoint_quota_exceeded"
  | "event_data_invalid"
  | "event_id_invalid"
  | "event_refused"
  | "event_type_invalid"
  | "event_type_unknown"
  | "replay_not_found"
  | "too_many_replays"
  | "url_not_public"

export const NO_ENDPOINT = ["endpoint_not_found", "The tenant has no endpoint of this id"] as const
export const NO_DELIVERY = ["delivery_not_found", "The endpoint has no delivery of this event"] as const
export const NO_REPLAY = ["replay_not_found", "The tenant has no replay of this id"] as const

/** Turns the domain's errors into `EmbedError`. */
export const translate = makeTranslate<WebhooksErrorCode>({
  UrlNotPublic: ({ detail }: UrlNotPublic) => [
    "url_not_public",
    `The URL of an endpoint is an https URL of a public host: ${detail}`
  ],
  QuotaExceeded: ({ limit }: QuotaExceeded) => [
    "endpoint_quota_exceeded",
    `A tenant has ${limit} endpoints at most: delete one first`,
    { limit }
  ],
  EndpointLimitReached: ({ limit }: EndpointLimitReached) => [
    "endpoint_limit_reached",
    `A tenant has ${limit} active endpoints at most: disable or delete one first`,
    { limit }
  ],
  EndpointInactive: ({ status }: EndpointInactive) => [
    "endpoint_inactive",
    `The endpoint is ${status}, which does not allow this`,
    { status }
  ],
  EndpointNotFound: () => NO_ENDPOINT,
  DeliveryNotFound: () => NO_DELIVERY,
  ReplayNotFound: () => NO_REPLAY,
  TooManyReplays: ({ limit }: TooManyReplays) => [
    "too_many_replays",
    `An endpoint has ${limit} unfinished replays at most: wait for one to end`,
    { limit }
  ]
})
