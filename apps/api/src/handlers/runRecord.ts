/** The record of a run. docs/http.md, Records. */
import { createHash } from "node:crypto"
import { Conflict, records as contract } from "@agent-platform/contract"
import {
  canonicalPieces,
  collectRecord,
  EMBEDDED_BYTES_MAX,
  embedded,
  encoded,
  lengthOf,
  type RecordDocument,
  RunId,
  Runs,
  recordHtml,
  recordMarkdown,
  streamed,
  withIntegrity
} from "@agent-platform/runs"
import { DateTime, Effect, Semaphore, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { workspaceCaller } from "../callers.ts"
import { preferred } from "../edge/accept.ts"
import { notFound } from "../edge/problems.ts"
import { idOf } from "../ids.ts"
import { LongAnswers } from "../LongAnswers.ts"
import { makeRecordExports } from "../recordExports.ts"
import { makeStreams } from "../streams.ts"
import { headView, itemView } from "../views/runRecordView.ts"

interface RecordCall {
  readonly params: { readonly run_id: string }
  readonly query: { readonly include_cost?: "true" | "false" }
  readonly request: HttpServerRequest.HttpServerRequest
}

const notFinished = () => new Conflict({ code: "run_not_finished", detail: "The run has not ended yet" })

/** The policy of a record's page, which loads nothing and runs no scripts. */
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; form-action 'none'"

/** The whole canonical form, which signing needs, and its hash. */
const canonicalOf = Effect.fnUntraced(function* (document: RecordDocument) {
  const blocks = streamed(() => canonicalPieces(document))
  const canonical = Buffer.allocUnsafe(yield* lengthOf(blocks))
  const hash = createHash("sha256")
  let at = 0
  yield* Stream.runForEach(blocks, (block) =>
    Effect.sync(() => {
      hash.update(block)
      canonical.set(block, at)
      at += block.length
    })
  )
  return { canonical, sha256: hash.digest("hex") }
})

/** Makes the handler for records in all of their formats. The signature is always that of the JSON. */
export const makeRunRecordHandler = Effect.gen(function* () {
  const runs = yield* Runs
  const { open } = yield* LongAnswers
  const streams = yield* makeStreams
  const takeTurn = yield* makeRecordExports
  // One record is signed at a time, since signing holds a second copy of the record in memory.
  const signing = Semaphore.makeUnsafe(1)

  const sign = (document: RecordDocument) => signing.withPermit(Effect.flatMap(canonicalOf(document), runs.signRecord))

  return Effect.fnUntraced(
    function* ({ params, query, request }: RecordCall) {
      const caller = yield* workspaceCaller
      const runId = yield* idOf(RunId, params.run_id)
      const ended = yield* open
      yield* takeTurn(caller)
      const record = yield* runs.exportRunRecord({ caller, runId })
      // Before anything is sent, so that no reading goes unrecorded.
      yield* runs.noteRecordRead({ caller, record })
      const includeCost = query.include_cost !== "false"
      const unsigned = yield* collectRecord(
        headView(record, yield* DateTime.now, includeCost),
        Stream.map(record.items, (item) => itemView(item, includeCost))
      )
      const document = withIntegrity(unsigned, yield* sign(unsigned))
      const send = (contentType: string, pieces: () => Iterable<Uint8Array>, headers = {}) =>
        streams.document(request, { contentType, headers }, streamed(pieces), ended)
      switch (preferred(request.headers["accept"], contract.RECORD_FORMATS)) {
        case "text/html": {
          // The page holds the signed JSON as well, unless that is too large: its length is measured before, no further than needed.
          const embeddedBytes = yield* lengthOf(
            streamed(() => encoded(embedded(document))),
            EMBEDDED_BYTES_MAX
          )
          const headers = { "content-security-policy": PAGE_POLICY }
          return yield* send("text/html; charset=utf-8", () => encoded(recordHtml(document, embeddedBytes)), headers)
        }
        case "text/markdown":
          return yield* send("text/markdown; charset=utf-8", () => encoded(recordMarkdown(document)))
        default:
          return yield* send("application/json", () => canonicalPieces(document))
      }
    },
    Effect.catchTags({
      RunNotFound: notFound,
      RunNotFinished: notFinished
    })
  )
})
