import { type EventId, OUTBOX_LEASE_SECONDS } from "@agent-platform/kernel"
import { EventDispatch } from "@agent-platform/webhooks"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import { eventTable, toEvent } from "../PgEventLog.ts"
import { askAlone } from "../pipelined.ts"
import type { Row } from "../table.ts"
import { recipientTable } from "./endpointTable.ts"

/** The row of an event that was taken, or else of an endpoint: the columns of the other are null. */
interface AnsweredRow extends Row {
  readonly event_id: EventId | null
  readonly attempt: number
  readonly token: string
  /** Null where the event is not kept any more. */
  readonly record_id: EventId | null
}

const answeredRecord = eventTable.as("record")
const answeredRecipient = recipientTable.as("recipient")

/** Events of the outbox by `take_events`, the function that takes them. */
export const layer = layerSql(EventDispatch)((sql) => {
  const columns = sql.literal([answeredRecord.composed, answeredRecipient.composed].join(", "))
  return {
    take: (max, leaseSeconds = OUTBOX_LEASE_SECONDS) =>
      askAlone(
        sql,
        sql<AnsweredRow>`
          select event_id, attempt, token, ${columns}
          from agent_platform.take_events(${max}::int, ${leaseSeconds}::float8)
        `
      ).pipe(
        mapRows((rows) => ({
          events: rows.flatMap((row) =>
            row.event_id === null
              ? []
              : [
                  {
                    taken: { id: row.event_id, attempt: row.attempt, token: row.token },
                    record: row.record_id === null ? undefined : toEvent(answeredRecord.readPrefixed(row))
                  }
                ]
          ),
          recipients: rows.filter((row) => row.event_id === null).map(answeredRecipient.readPrefixed)
        }))
      )
  }
})
