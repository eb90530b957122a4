/** Runs and their logs. Spec: Runs and sessions. */
import { PAGE_LIMIT_MAX } from "@agent-platform/kernel"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access, BodyLimit, CONTENT_BODY_BYTES_MAX, Formats } from "./access.ts"
import { NewBrowserKey, RunBrowserKey } from "./browserKeySchemas.ts"
import { accepted, created, idempotencyHeaders } from "./creations.ts"
import { Conflict, NotFound, PaymentRequired, TooManyRequests, UnprocessableContent } from "./errors.ts"
import { id } from "./formats.ts"
import { JsonBody, Strict } from "./middleware.ts"
import {
  cursorParameter,
  documentParameters,
  integerParameter,
  lastEventId,
  parameters,
  WAIT_SECONDS_MAX
} from "./queries.ts"
import { RunPage, RunStream, runListParameters, runStreamParameters } from "./runList.ts"
import { RECORD_FORMATS, RunRecordHtml, RunRecordMarkdown, RunRecordView, recordParameters } from "./runRecord.ts"
import { LOG_FORMATS, LogForm, NewRun, RunEventStream, RunLogPage, RunView } from "./runSchemas.ts"

const runPath = { run_id: id("The run's id") }

const getParameters = parameters({
  wait_seconds: integerParameter("How long the answer may wait for the run to end", {
    minimum: 0,
    maximum: WAIT_SECONDS_MAX,
    default: 0
  })
})

const logParameters = parameters({
  after: integerParameter("Begin behind this sequence number", { minimum: 0, maximum: 999_999_999, default: 0 }),
  limit: integerParameter(
    "Most events of a JSON page, which also ends with the event that fills it to 256 KiB; streams have no limit",
    {
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
      default: PAGE_LIMIT_MAX
    }
  ),
  cursor: cursorParameter,
  format: {
    schema: Schema.optionalKey(LogForm),
    doc: {
      description:
        "`ui-message` for the log as a message of the AI SDK, in its UI message stream: an event stream whose `data` are chunks of " +
        "that protocol, and `[DONE]` at the end",
      schema: { type: "string", enum: LogForm.literals }
    }
  }
})

/** The group behind `/api/v1/runs`. */
export class RunsGroup extends HttpApiGroup.make("runs")
  .add(
    HttpApiEndpoint.post("triggerRun", "/api/v1/runs/", {
      headers: idempotencyHeaders,
      payload: NewRun,
      success: accepted(RunView),
      error: [PaymentRequired, NotFound, Conflict, UnprocessableContent, TooManyRequests]
    })
      .middleware(JsonBody)
      .annotate(BodyLimit, CONTENT_BODY_BYTES_MAX)
      .annotate(Access, { reach: "workspace", scope: "runs:write" })
      .annotate(OpenApi.Summary, "Trigger a run")
      .annotate(
        OpenApi.Description,
        "Accepts a run and answers it with 202, whatever its state by then; `wait_seconds` only delays the " +
          "answer. `Location` says where to read it. An agent or a session that is not of the workspace is 404. The " +
          "`message` is shown as `prompt`: the `message` of a run is the agent's. 409 `session_busy` where `if_busy` is `reject` and " +
          "the session has an unfinished run, 402 `cap_reached`, 429 `queue_full`."
      ),
    HttpApiEndpoint.get("listRuns", "/api/v1/runs/", {
      query: runListParameters.fields,
      success: RunPage,
      error: UnprocessableContent
    })
      .annotate(Access, { reach: "workspace", scope: "runs:read", browser: "session_id" })
      .annotate(OpenApi.Transform, documentParameters(runListParameters.docs))
      .annotate(OpenApi.Summary, "List runs")
      .annotate(
        OpenApi.Description,
        "The workspace's runs, newest first. Filters combine. With `q` a page looks at 1,000 runs at most."
      ),
    HttpApiEndpoint.get("followRuns", "/api/v1/runs/stream", {
      query: runStreamParameters.fields,
      headers: lastEventId("The `id` that a reconnecting stream received last; what has changed since follows"),
      success: RunStream,
      error: UnprocessableContent
    })
      .annotate(Access, { reach: "workspace", scope: "runs:read" })
      .annotate(Formats, ["text/event-stream"])
      .annotate(OpenApi.Transform, documentParameters(runStreamParameters.docs))
      .annotate(OpenApi.Summary, "Follow the workspace's runs")
      .annotate(
        OpenApi.Description,
        "An event stream of the workspace's runs: one event `run` for each that was triggered, began, is to be cancelled, " +
          "ended, or whose question was answered or cancelled. `data` is the run as it is by then, as reading it shows it; changes that come " +
          "within half a second may be told as one. Filters combine. It begins now, or after Last-Event-ID; where it begins " +
          "now, an `id` without an event comes first, to come back to. No run is left out, and each comes with its latest state. It ends " +
          "with the credential, or when its reader falls too far behind, by more than 1,000 runs or 1 MiB. A comment comes " +
          "at least every 15 seconds. An id that is not of this stream is 422."
      ),
    HttpApiEndpoint.get("getRun", "/api/v1/runs/:run_id", {
      params: runPath,
      query: getParameters.fields,
      success: RunView,
      error: NotFound
    })
      .annotate(Access, { reach: "workspace", scope: "runs:read", browser: "run_id" })
      .annotate(OpenApi.Transform, documentParameters(getParameters.docs))
      .annotate(OpenApi.Summary, "Read a run")
      .annotate(
        OpenApi.Description,
        "The run's status, cost and result; with `wait_seconds`, once it has ended or the wait is over. While the " +
          "service shuts down, an answer that waits comes early, with the run as it is."
      ),
    HttpApiEndpoint.post("createRunBrowserKey", "/api/v1/runs/:run_id/browser-keys", {
      params: runPath,
      headers: idempotencyHeaders,
      payload: NewBrowserKey,
      success: created(RunBrowserKey),
      error: [NotFound, Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "workspace", scope: "runs:read" })
      .annotate(OpenApi.Summary, "Make a browser key for a run")
      .annotate(
        OpenApi.Description,
        "Makes a key for a page in a browser, which reads this run and its log, without figures of cost, and nothing else. It ends " +
          "with the key or the session that makes it, and within 15 minutes. A key that may be used from some networks only makes " +
          "keys for those. It is in no list; its id revokes it, like that of every key."
      ),
    HttpApiEndpoint.get("getRunRecord", "/api/v1/runs/:run_id/record", {
      params: runPath,
      query: recordParameters.fields,
      success: [RunRecordView, RunRecordMarkdown, RunRecordHtml],
      error: [NotFound, Conflict]
    })
      .annotate(Access, { reach: "workspace", scope: "runs:read" })
      .annotate(Formats, RECORD_FORMATS)
      .annotate(OpenApi.Transform, documentParameters(recordParameters.docs))
      .annotate(OpenApi.Summary, "Export a run as a record")
      .annotate(
        OpenApi.Description,
        "A signed report of a finished run, with secrets redacted, for people who were not there. With `Accept: " +
          "text/markdown` or `text/html` to read and to print. The page loads nothing and holds the signed JSON, unless " +
          "that would take more than half of it. Page and Markdown end at 32 MiB, with a note of what is left out; the " +
          "JSON is whole and comes in its canonical form. An organization exports two records at a time, and a process " +
          "four: others wait up to 10 seconds and are then 429 `too_many_streams`. A record that is not read within 5 " +
          "minutes, or whose key is revoked meanwhile, is broken off."
      ),
    HttpApiEndpoint.get("getRunLog", "/api/v1/runs/:run_id/logs", {
      params: runPath,
      query: logParameters.fields,
      headers: lastEventId("For streams: the last sequence number that was received; it goes before `after`"),
      success: [RunEventStream, RunLogPage],
      error: [NotFound, UnprocessableContent]
    })
      .annotate(Access, { reach: "workspace", scope: "runs:read", browser: "run_id" })
      .annotate(Formats, LOG_FORMATS)
      .annotate(OpenApi.Transform, documentParameters(logParameters.docs))
      .annotate(OpenApi.Summary, "Read or follow a run's log")
      .annotate(
        OpenApi.Description,
        "By default an event stream: the whole log so far, then what comes, until the event that ends the run. `id` is " +
          "the sequence number and `event` the type; resume with Last-Event-ID or `after`. A comment comes at least every " +
          "15 seconds. With `Accept: application/x-ndjson` the same as lines of JSON; with `Accept: application/json` a " +
          "page. With `format=ui-message` the event stream is a message of the AI SDK, for its `useChat`; an `id` of it is taken up by " +
          "Last-Event-ID alone."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Runs")
  .annotate(OpenApi.Description, "Asynchronous executions of agents") {}
