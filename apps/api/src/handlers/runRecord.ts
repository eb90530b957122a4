/** The record of a run. Spec: Runs and sessions, record. */
import { Conflict, records as contract } from "@agent-platform/contract"
import { parseId } from "@agent-platform/kernel"
import { RunId, Runs, redact } from "@agent-platform/runs"
import { DateTime, Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { workspaceCaller } from "../callers.ts"
import { preferred } from "../edge/accept.ts"
import { notFound } from "../edge/problems.ts"
import { LongAnswers } from "../LongAnswers.ts"
import { recordHtml } from "../records/recordHtml.ts"
import { recordMarkdown } from "../records/recordMarkdown.ts"
import { type RecordJson, runRecordContent, withIntegrity, withRedactions } from "../views/runRecordView.ts"

interface RecordCall {
  readonly params: { readonly run_id: string }
  readonly query: { readonly include_cost?: "true" | "false" }
  readonly request: HttpServerRequest.HttpServerRequest
}

const notFinished = () => new Conflict({ code: "run_not_finished", detail: "The run has not ended yet" })

/** The page shows itself and nothing else, and runs nothing. */
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; form-action 'none'"

/** The handler for records in all of their formats. What is signed is always the JSON, which the page holds as well. */
export const makeRunRecordHandler = Effect.gen(function* () {
  const runs = yield* Runs
  const { open } = yield* LongAnswers
  return Effect.fnUntraced(
    function* ({ params, query, request }: RecordCall) {
      const caller = yield* workspaceCaller
      const runId = parseId(RunId, params.run_id)
      if (runId === undefined) return yield* notFound()
      yield* open
      const told = yield* runs.exportRunRecord({ caller, runId })
      const content = runRecordContent(told, yield* DateTime.now, query.include_cost !== "false")
      const { redactions, value } = redact(content)
      const unsigned = withRedactions(value as RecordJson, redactions)
      const record = withIntegrity(unsigned, yield* runs.signRecord(unsigned))
      switch (preferred(request.headers["accept"], contract.RECORD_FORMATS)) {
        case "text/html":
          return HttpServerResponse.text(recordHtml(record), {
            contentType: "text/html; charset=utf-8",
            headers: { "content-security-policy": PAGE_POLICY }
          })
        case "text/markdown":
          return HttpServerResponse.text(recordMarkdown(record), { contentType: "text/markdown; charset=utf-8" })
        default:
          return HttpServerResponse.text(JSON.stringify(record), { contentType: "application/json" })
      }
    },
    Effect.catchTags({
      RunNotFound: () => Effect.fail(notFound()),
      RunNotFinished: () => Effect.fail(notFinished())
    })
  )
})
