import { EventId, parseId } from "@agent-platform/kernel"
import { type DeliveryPlace, findOperatorDelivery, listOperatorDeliveries } from "@agent-platform/postgres"
import { CommandRefused } from "@agent-platform/process"
import { type Attempt, DeliveryRecords, DeliveryState, EndpointId } from "@agent-platform/webhooks"
import { DateTime, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { databaseCommand } from "../databaseCommand.ts"
import { described, JsonFlag } from "../described.ts"
import { anyWorkspaceFlag, idFlag, limitFlag, optionalOrganizationFlag, orNull, sinceFlag } from "../flags.ts"
import { scopeOf } from "../operator.ts"
import { printJson, printPage, rowOfView } from "../printed.ts"
import { A_WORKSPACE, AN_ORGANIZATION } from "../shapes.ts"
import { deliveryWaiting } from "../waiting.ts"

// `attempts` are all requests; `failures` are those since the retry schedule last started, as a replay starts it.
const A_DELIVERY = {
  event_id: "01a1fd51-2764-7218-9ac0-9d6895cfd59e",
  endpoint_id: "01a1fd51-2764-7218-9ac0-9d6895cfd5b0",
  organization_id: AN_ORGANIZATION.id,
  workspace_id: A_WORKSPACE.id,
  event_type: "run.succeeded",
  endpoint_host: "hooks.example.com",
  endpoint_status: "active",
  state: "pending",
  state_reason: null,
  attempts: 2,
  failures: 2,
  next_attempt_at: "2026-11-21T05:10:00.123Z",
  created_at: "2026-11-21T05:10:00.123Z",
  delivered_at: null
}

const placeOf = ({ endpointId, eventId }: DeliveryPlace) => `${eventId}/${endpointId}`

const readPlace = (text: string): DeliveryPlace | undefined => {
  const [event = "", endpoint = "", ...rest] = text.split("/")
  const [eventId, endpointId] = [parseId(EventId, event), parseId(EndpointId, endpoint)]
  return eventId === undefined || endpointId === undefined || rest.length > 0 ? undefined : { eventId, endpointId }
}

const endpointFlag = idFlag("endpoint", EndpointId, "Id of the endpoint")

const list = databaseCommand({
  name: "list",
  does: "List deliveries of webhooks of all organizations, of one or of a workspace, newest event first and without what they say",
  examples: [
    "deliveries list",
    "deliveries list --organization Acme --workspace Support --state dead --since 24h",
    `deliveries list --endpoint ${A_DELIVERY.endpoint_id} --limit 100 --before ${A_DELIVERY.event_id}/${A_DELIVERY.endpoint_id} --json`
  ],
  prints: { items: [A_DELIVERY], next: `${A_DELIVERY.event_id}/${A_DELIVERY.endpoint_id}` },
  flags: {
    organization: optionalOrganizationFlag,
    workspace: anyWorkspaceFlag,
    endpoint: orNull(endpointFlag),
    state: orNull(
      Flag.Literals("state", DeliveryState.literals).pipe(Flag.withDescription("Only deliveries in this state"))
    ),
    since: sinceFlag,
    limit: limitFlag,
    before: orNull(
      Flag.String("before").pipe(
        Flag.withMetavar("EVENT/ENDPOINT"),
        Flag.withDescription("Go on behind this delivery: the last of the page before"),
        Flag.filterMap(
          (text) => Option.fromNullishOr(readPlace(text)),
          () => "the ids of an event and of an endpoint with / between them"
        )
      )
    )
  },
  run: Effect.fn(function* ({ before, endpoint, limit, organization, since, state, workspace }) {
    const scope = yield* scopeOf(organization, workspace)
    const from = since(yield* DateTime.now)
    const found = yield* listOperatorDeliveries({ ...scope, endpointId: endpoint, before, limit, state, since: from })
    // One delivery more than asked for is read, to know whether another page follows.
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    const next = last === undefined ? null : placeOf({ eventId: last.event_id, endpointId: last.endpoint_id })
    const columns = ["event_id", "endpoint_id", "event_type", "endpoint_host", "state", "attempts", "next_attempt_at"]
    yield* printPage(page.map(rowOfView), next, columns, yield* JsonFlag)
  })
})

const attemptRow = ({ attemptedAt, durationMillis, error, number, remoteIp, responseCode }: Attempt) => ({
  number,
  attempted_at: DateTime.formatIso(attemptedAt),
  duration_ms: durationMillis,
  response_code: responseCode,
  error,
  remote_ip: remoteIp
})

const show = databaseCommand({
  name: "show",
  does: "Show a delivery with its attempts, without the event and the answers, and why it waits; prints JSON",
  examples: [`deliveries show --endpoint ${A_DELIVERY.endpoint_id} --event ${A_DELIVERY.event_id}`],
  prints: {
    ...A_DELIVERY,
    waits: { reason: "scheduled", message: "After 2 failures its next attempt is due in 45 s" },
    circumstances: { due_in_seconds: 45.2, is_claimed: false, ahead_of_endpoint: 0, ahead: 3, worker_sessions: 9 },
    attempt_list: [
      {
        number: 1,
        attempted_at: "2026-11-21T05:10:00.123Z",
        duration_ms: 112,
        response_code: 503,
        error: null,
        remote_ip: "203.0.113.7"
      }
    ]
  },
  flags: { endpoint: endpointFlag, event: idFlag("event", EventId, "Id of the event") },
  run: Effect.fn(function* ({ endpoint, event }) {
    const found = yield* findOperatorDelivery({ endpointId: endpoint, eventId: event })
    if (found === undefined) return yield* new CommandRefused({ message: "There is no such delivery at this endpoint" })
    const { circumstances, delivery } = found
    const attempts = yield* DeliveryRecords.use((records) => records.attempts(endpoint, event))
    return yield* printJson({
      ...rowOfView(delivery),
      waits: deliveryWaiting(delivery, circumstances),
      circumstances,
      attempt_list: attempts.map(attemptRow)
    })
  })
})

/** Commands about deliveries of webhooks. */
export const deliveries = Command.make("deliveries").pipe(
  described({ does: "Deliveries of webhooks, without what they say", examples: ["deliveries list --state dead"] }),
  Command.withSubcommands([list, show])
)
