/** The metrics of deliveries. */
import { counter, gauge, histogram, type Meter } from "@agent-platform/toolkit"
import { type AttemptMade, type Delivery, isSuccess } from "./Delivery.ts"

export const deliveryAttempts = counter(
  "agent_platform_delivery_attempts_total",
  "Requests to receivers, by class of status (2xx to 5xx) or by why there was no answer (such as timeout).",
  ["result"]
)

export const deliveryAttemptDuration = histogram(
  "agent_platform_delivery_attempt_duration_seconds",
  "How long requests to receivers took, by whether they succeeded (success, failure).",
  ["outcome"],
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]
)

export const deliveriesSettled = counter(
  "agent_platform_deliveries_settled_total",
  "Deliveries that came to an end by an attempt of this worker: delivered, or dead after the last attempt.",
  ["state"]
)

export const deliveriesInFlight = gauge(
  "agent_platform_deliveries_in_flight",
  "Requests to receivers that this worker has under way."
)

/** All of them, for the documentation. */
export const DELIVERY_MEASURES = [deliveryAttempts, deliveryAttemptDuration, deliveriesSettled, deliveriesInFlight]

const classOf = (responseCode: number): string => (responseCode < 600 ? `${Math.floor(responseCode / 100)}xx` : "other")

/** The error of an attempt begins with its reason, which is one of few. */
const resultOf = ({ error, responseCode }: Pick<AttemptMade, "error" | "responseCode">): string =>
  responseCode === null ? (error?.split(":", 1)[0] ?? "unknown") : classOf(responseCode)

/** Counts an attempt, and the end of its delivery unless that is still pending. */
export const measureAttempt = (
  meter: Meter,
  made: Pick<AttemptMade, "error" | "responseCode" | "durationMillis">,
  { state }: Pick<Delivery, "state">
): void => {
  const outcome = isSuccess(made.responseCode) ? "success" : "failure"
  meter.measure(deliveryAttempts, { result: resultOf(made) }, 1)
  meter.measure(deliveryAttemptDuration, { outcome }, made.durationMillis / 1000)
  if (state !== "pending") meter.measure(deliveriesSettled, { state }, 1)
}
