/** The health of an endpoint, which is judged by its attempts whenever they are settled. */
import type { OrganizationId } from "@agent-platform/kernel"
import { DateTime } from "effect"
import type { EndpointId, EndpointStatus } from "./Endpoint.ts"

/** After this many hours of failures without a success an endpoint is disabled. */
export const FAILING_HOURS_MAX = 120

/** The organization is notified of an endpoint's dead deliveries at most once in this many hours. */
export const DEAD_NOTICE_HOURS = 1

/** The `disabledReason` of an endpoint that failed for `FAILING_HOURS_MAX`. */
export const DISABLED_BY_FAILURES = "failing"

/** An endpoint's status, since when it fails, and when that was last reported. */
export interface EndpointHealth {
  readonly organizationId: OrganizationId
  readonly endpointId: EndpointId
  readonly status: EndpointStatus
  /** The first failure after the last success; null while there is none. */
  readonly failingSince: DateTime.Utc | null
  /** When the organization was last notified that deliveries are dead. */
  readonly deadNoticeAt: DateTime.Utc | null
}

/** The attempts of one batch at one endpoint. */
export interface EndpointObservation {
  /** When the last success ended, if there was one. */
  readonly succeededAt: DateTime.Utc | null
  /** When the first failure after that success ended, if there was one. */
  readonly failedAt: DateTime.Utc | null
  /** How many deliveries have no retry left. */
  readonly exhausted: number
}

/** An endpoint's health after a batch, and what follows from it. */
export interface HealthChange {
  readonly health: EndpointHealth
  /** Whether the endpoint is to be disabled now. */
  readonly disable: boolean
  /** Whether the organization is to be notified now that deliveries are dead. */
  readonly notifyDead: boolean
}

const NOTHING: EndpointObservation = { succeededAt: null, failedAt: null, exhausted: 0 }

/** Adds an attempt. Attempts come in the order in which they ended. */
export const observe = (
  before: EndpointObservation | undefined,
  attempt: { readonly endedAt: DateTime.Utc; readonly succeeded: boolean; readonly exhausted: boolean }
): EndpointObservation => {
  const { exhausted, failedAt, succeededAt } = before ?? NOTHING
  if (attempt.succeeded) return { succeededAt: attempt.endedAt, failedAt: null, exhausted }
  return { succeededAt, failedAt: failedAt ?? attempt.endedAt, exhausted: exhausted + (attempt.exhausted ? 1 : 0) }
}

const isHoursAgo = (since: DateTime.Utc, now: DateTime.Utc, hours: number) =>
  DateTime.toEpochMillis(now) - DateTime.toEpochMillis(since) >= hours * 3_600_000

/**
 * The endpoint's health after a batch. A failure disables the endpoint once `FAILING_HOURS_MAX` have passed since the first failure
 * after its last success. Its failures are forgotten then, so that they do not count once it is enabled again. The health of an
 * endpoint that is not active does not change.
 */
export const judge = (
  health: EndpointHealth,
  { exhausted, failedAt, succeededAt }: EndpointObservation,
  now: DateTime.Utc
): HealthChange => {
  if (health.status !== "active") return { health, disable: false, notifyDead: false }
  // A success in the batch ends the failures from before it.
  const earlier = succeededAt === null ? health.failingSince : null
  const failingSince = failedAt === null ? earlier : (earlier ?? failedAt)
  const disable = failedAt !== null && failingSince !== null && isHoursAgo(failingSince, now, FAILING_HOURS_MAX)
  const notifiedAt = health.deadNoticeAt
  const notifyDead = exhausted > 0 && (notifiedAt === null || isHoursAgo(notifiedAt, now, DEAD_NOTICE_HOURS))
  return {
    health: { ...health, failingSince: disable ? null : failingSince, deadNoticeAt: notifyDead ? now : notifiedAt },
    disable,
    notifyDead
  }
}
