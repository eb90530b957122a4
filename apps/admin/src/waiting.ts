/** Why a run or a delivery does not go on, from what is known about it. */
import {
  AHEAD_MAX,
  type DeliveryCircumstances,
  type OperatorDelivery,
  type OperatorRun,
  type RunCircumstances
} from "@agent-platform/postgres"
import { spanOf } from "./doctor/Finding.ts"

/** The reason in a word, and in a sentence. */
export interface Waiting {
  readonly reason: string
  readonly message: string
}

const waiting = (reason: string, message: string): Waiting => ({ reason, message })

const counted = (count: number): string => (count >= AHEAD_MAX ? `${AHEAD_MAX} or more` : `${count}`)

/**
 * Whether nothing is left for another call. Unlike `capStatus` of billing this counts what is held back as well, as the admission of
 * calls does. Floating point is exact enough, since the answer is only shown.
 */
const hasNothingLeft = ({ cap_usd, reserved_usd, spent_usd }: RunCircumstances): boolean =>
  cap_usd !== null && Number(spent_usd) + Number(reserved_usd) >= Number(cap_usd)

const whileRunning = (run: OperatorRun, facts: RunCircumstances): Waiting => {
  const leaseSeconds = facts.lease_seconds ?? 0
  const callbackSeconds = facts.callback_seconds
  if (callbackSeconds !== null && callbackSeconds > 0) {
    return waiting("callback", `No worker has it: its agent is to call back within ${spanOf(callbackSeconds)}`)
  }
  if (callbackSeconds !== null) {
    return waiting(
      "callback_lapsed",
      `Its agent has not called back in time, ${spanOf(-callbackSeconds)} ago: the next worker ends it or has it executed again`
    )
  }
  if (leaseSeconds < 0) {
    return waiting(
      "lease_lapsed",
      `Its worker has not renewed its lease for ${spanOf(-leaseSeconds)}: a worker that lives takes it for lost within seconds`
    )
  }
  if (run.cancel_requested_at !== null) return waiting("cancelling", "It is asked to end, and its worker stops it")
  if (hasNothingLeft(facts)) {
    return waiting(
      "at_cap",
      `It is executed, and its calls wait or are refused: ${facts.spent_usd} USD are spent and ${facts.reserved_usd} held back of the ${facts.cap_usd} of its workspace`
    )
  }
  return waiting("executed", `It is executed: its worker has the lease for ${spanOf(leaseSeconds)} more, and renews it`)
}

const inLine = (facts: RunCircumstances): Waiting => {
  if (facts.worker_sessions === 0)
    return waiting("no_worker", "It is ready, and no worker is connected to the database")
  const ahead = `${counted(facts.ahead_in_workspace)} of its workspace's runs go first`
  const executed = `${facts.running} runs are executed by ${facts.busy_workers} workers, ${facts.running_in_organization} of its organization and ${facts.running_in_workspace} of its workspace`
  return waiting("in_line", `It is ready: ${ahead}; ${executed}. Organizations and workspaces take turns`)
}

/** Why a run does not go on, one that is paused on a question included; null for any other that has ended. */
export const runWaiting = (run: OperatorRun, facts: RunCircumstances): Waiting | null => {
  if (run.status === "running") return whileRunning(run, facts)
  if (run.status !== "queued") {
    return run.paused ? waiting("question", "It ended with a question, and waits for a reply in its session") : null
  }
  if (facts.ahead_in_session > 0) {
    return waiting(
      "behind_session",
      `${counted(facts.ahead_in_session)} runs of its session go first, of which the next is ${facts.next_in_session}`
    )
  }
  if (facts.due_in_seconds !== null && facts.due_in_seconds > 0) {
    return waiting("scheduled", `It is to begin in ${spanOf(facts.due_in_seconds)}`)
  }
  return inLine(facts)
}

/** Why a delivery has not arrived; null once it has, or is dead. */
export const deliveryWaiting = (delivery: OperatorDelivery, facts: DeliveryCircumstances): Waiting | null => {
  if (delivery.state !== "pending") return null
  // A claimed delivery is due when its claim ends.
  const seconds = facts.due_in_seconds ?? 0
  if (facts.is_claimed) {
    return seconds > 0
      ? waiting("attempted", `A worker attempts it, whose claim ends in ${spanOf(seconds)} unless it is renewed`)
      : waiting("claim_lapsed", `The claim of its worker ended ${spanOf(-seconds)} ago: the next worker attempts it`)
  }
  if (seconds > 0) {
    return waiting(
      "scheduled",
      `After ${delivery.failures} ${delivery.failures === 1 ? "failure" : "failures"} its next attempt is due in ${spanOf(seconds)}`
    )
  }
  if (facts.worker_sessions === 0) return waiting("no_worker", "It is due, and no worker is connected to the database")
  return waiting(
    "in_line",
    `It has been due for ${spanOf(-seconds)}: ${counted(facts.ahead)} deliveries were due before it, ${counted(facts.ahead_of_endpoint)} of them of its endpoint`
  )
}
