/** How an endpoint is, by the attempts of its latest deliveries. */
import type { Delivery } from "@agent-platform/client"

type Attempt = Delivery["attempts"][number]

export interface Health {
  /** The newest attempt; undefined where nothing was sent. */
  readonly last: Attempt | undefined
  /** How many attempts have failed since the last that arrived. */
  readonly failures: number
  /** Whether none of the attempts arrived: those of older deliveries may have failed, too. */
  readonly noneArrived: boolean
}

/** Whether the receiver took the event. */
export const hasArrived = ({ response_code }: Attempt): boolean =>
  response_code !== null && response_code >= 200 && response_code < 300

/** How an attempt ended: the code of the answer, or why there was none. */
export const answerOf = ({ error, response_code }: Attempt): string => String(response_code ?? error ?? "No answer")

/** Looks through the attempts of these deliveries, whichever of them each belongs to. */
export const healthOf = (deliveries: ReadonlyArray<Pick<Delivery, "attempts">>): Health => {
  const attempts = deliveries
    .flatMap((delivery) => delivery.attempts)
    .toSorted((one, other) => Date.parse(other.attempted_at) - Date.parse(one.attempted_at))
  const arrived = attempts.findIndex(hasArrived)
  return { last: attempts[0], failures: arrived === -1 ? attempts.length : arrived, noneArrived: arrived === -1 }
}
