/** The domain's refusals about organization webhooks, as problems. */
import { Conflict, TooManyRequests } from "@agent-platform/contract"
import type { UrlNotPublic } from "@agent-platform/kernel"
import type {
  EndpointInactive,
  EndpointLimitReached,
  EndpointNotSubscribed,
  TooManyReplays
} from "@agent-platform/webhooks"
import { notFound, urlNotPublic } from "../edge/problems.ts"

const inactiveDetail = ({ status }: EndpointInactive): string =>
  status === "deleted"
    ? "The endpoint was deleted. Nothing is sent to it any more"
    : "The endpoint is disabled. Enable it first"

/** The problem for each failure of the domain, for `Effect.catchTags`. */
export const webhookProblems = {
  EndpointNotFound: notFound,
  DeliveryNotFound: notFound,
  ReplayNotFound: notFound,
  EndpointInactive: (inactive: EndpointInactive) =>
    new Conflict({ code: "endpoint_inactive", detail: inactiveDetail(inactive) }),
  EndpointNotSubscribed: ({ eventType }: EndpointNotSubscribed) =>
    new Conflict({
      code: "endpoint_not_subscribed",
      detail: `The endpoint does not receive ${eventType}. Name another, or have it receive that as well`
    }),
  EndpointLimitReached: ({ limit }: EndpointLimitReached) =>
    new Conflict({
      code: "endpoint_limit_reached",
      detail: `The organization has ${limit} active webhook endpoints, which is all it may have. Disable or delete one`
    }),
  TooManyReplays: ({ limit }: TooManyReplays) =>
    new TooManyRequests({
      code: "queue_full",
      detail: `The endpoint has ${limit} replays that have not ended, which is all it may have`
    }),
  UrlNotPublic: ({ detail }: UrlNotPublic) => urlNotPublic("/url", detail)
}
