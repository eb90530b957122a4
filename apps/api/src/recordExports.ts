/** Limits the records that are exported at a time, since each is held in memory until it is sent. docs/http.md, Records. */
import { TooManyRequests } from "@agent-platform/contract"
import { beginAtZero, measure } from "@agent-platform/toolkit"
import { Effect } from "effect"
import { streamRefusals } from "./measures.ts"
import { makeTurns } from "./turns.ts"

/** Most exports at a time in a process, and most for one organization. */
const EXPORTS_MAX = 4
const EXPORTS_PER_ORGANIZATION_MAX = 2

const RECORDS = { limit: "records" }

const refused = Effect.andThen(
  measure(streamRefusals, RECORDS, 1),
  Effect.fail(
    new TooManyRequests({
      code: "too_many_streams",
      detail: `An organization exports ${EXPORTS_PER_ORGANIZATION_MAX} records at a time, and a process ${EXPORTS_MAX}. Ask again later`
    })
  )
)

/** Makes the function that waits for an export's turn, which ends with the request. It fails with 429 after too long a wait. */
export const makeRecordExports = Effect.andThen(
  beginAtZero(streamRefusals, [RECORDS]),
  makeTurns({ max: EXPORTS_MAX, perOrganization: EXPORTS_PER_ORGANIZATION_MAX, refused })
)
