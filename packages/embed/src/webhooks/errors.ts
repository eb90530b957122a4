/** The domain's refusals, in words for those who call the door. */
import type { QuotaExceeded, UrlNotPublic } from "@agent-platform/kernel"
import type { EndpointInactive, EndpointLimitReached, TooManyReplays } from "@agent-platform/webhooks"
import { EmbedError } from "../internal/EmbedError.ts"
import type { Translate } from "../internal/runtime.ts"

/** The codes of `EmbedError` that this door has. */
export type WebhooksErrorCode =
  | "closed"
  | "client_without_database"
  | "database_failed"
  | "database_invalid"
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
  | "input_invalid"
  | "not_migrated"
  | "option_invalid"
  | "replay_not_found"
  | "schema_ahead"
  | "schema_invalid"
  | "schema_taken"
  | "tenant_invalid"
  | "too_many_replays"
  | "url_not_public"

type Known =
  | UrlNotPublic
  | QuotaExceeded
  | EndpointInactive
  | EndpointLimitReached
  | TooManyReplays
  | { readonly _tag: "EndpointNotFound" }
  | { readonly _tag: "DeliveryNotFound" }
  | { readonly _tag: "ReplayNotFound" }

/** As `EmbedError`. */
export const translate: Translate = (given) => {
  const error = given as Known
  const refuse = (code: WebhooksErrorCode, message: string, details = {}) =>
    new EmbedError(code, message, details, given)
  switch (error._tag) {
    case "UrlNotPublic":
      return refuse("url_not_public", `The URL of an endpoint is an https URL of a public host: ${error.detail}`)
    case "QuotaExceeded":
      return refuse("endpoint_quota_exceeded", `A tenant has ${error.limit} endpoints at most: delete one first`, {
        limit: error.limit
      })
    case "EndpointLimitReached":
      return refuse(
        "endpoint_limit_reached",
        `A tenant has ${error.limit} active endpoints at most: disable or delete one first`,
        { limit: error.limit }
      )
    case "EndpointInactive":
      return refuse("endpoint_inactive", `The endpoint is ${error.status}, which does not allow this`, {
        status: error.status
      })
    case "EndpointNotFound":
      return refuse("endpoint_not_found", "The tenant has no endpoint of this id")
    case "DeliveryNotFound":
      return refuse("delivery_not_found", "The endpoint has no delivery of this event")
    case "ReplayNotFound":
      return refuse("replay_not_found", "The tenant has no replay of this id")
    case "TooManyReplays":
      return refuse(
        "too_many_replays",
        `An endpoint has ${error.limit} unfinished replays at most: wait for one to end`,
        {
          limit: error.limit
        }
      )
    default:
      return undefined
  }
}
