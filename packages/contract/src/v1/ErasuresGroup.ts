/** Erasing for good: asked for, counted, done by a job. docs/erasure.md. */
import { ErasureKind, ErasureState } from "@agent-platform/kernel"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access } from "./access.ts"
import { accepted, idempotencyHeaders } from "./creations.ts"
import { Conflict, NotFound, UnprocessableContent } from "./errors.ts"
import { id, time } from "./formats.ts"
import { Strict } from "./middleware.ts"
import { documentParameters, parameters } from "./queries.ts"
import { wire } from "./wire.ts"

const total = Schema.NullOr(Schema.Int)

const subjectFields = {
  kind: ErasureKind.annotate({ description: "The kind of what is erased" }),
  resourceId: id("The id of what is erased")
}

/** An erasure, and how far it has come. */
export const ErasureView = wire(
  {
    id: id("The erasure's id"),
    ...subjectFields,
    state: ErasureState.annotate({
      description:
        "pending: what is erased is closed, and no worker has begun. running: it is being erased. done: nothing of it is left, " +
        "and that is final. failed: it was given up after many failures, and can be asked for again"
    }),
    counts: Schema.Record(
      Schema.String,
      wire(
        {
          done: Schema.Int.annotate({ description: "How many are gone" }),
          total: total.annotate({ description: "How many there were when it began; null for more than were counted" })
        },
        { identifier: "ErasureProgress", description: "How many things of a kind are gone, and of how many" }
      )
    ).annotate({
      description: "By kinds of things, such as `runs`, `log_entries`, `events`, `deliveries`, `activity`"
    }),
    createdAt: time("When it was asked for"),
    startedAt: Schema.NullOr(time("When it began")),
    finishedAt: Schema.NullOr(time("When it ended"))
  },
  {
    identifier: "Erasure",
    description: "Something that is deleted for good. It holds ids and counts alone, and is kept"
  }
)

/** The answer of a dry run. */
export const ErasurePreview = wire(
  {
    ...subjectFields,
    counts: Schema.Record(Schema.String, total).annotate({
      description:
        "How many things of each kind there are now; null where there are more than 100,000, or where they belong to more runs, workspaces or events than are looked through, however few they are"
    })
  },
  { identifier: "ErasurePreview", description: "A count of all that an erasure would delete. Nothing was changed" }
)

const erasureParameters = parameters({
  dry_run: {
    schema: Schema.optionalKey(Schema.Literals(["true", "false"])),
    doc: {
      description: "Whether it is only counted what would go: 200, and nothing is changed. Missing: false",
      schema: { type: "boolean", default: false }
    }
  }
})

const erases = {
  headers: idempotencyHeaders,
  query: erasureParameters.fields,
  success: [accepted(ErasureView), ErasurePreview.pipe(HttpApiSchema.status(200))] as const,
  error: [NotFound, Conflict, UnprocessableContent] as const
}

const FINAL =
  " It cannot be undone. The answer is an erasure, which `GET /api/v1/erasures/{erasure_id}` follows; asking again answers the same " +
  "one, and 404 once it is done. With `dry_run=true` it is only counted what would go."

const docs = documentParameters(erasureParameters.docs)

/** The group of all erasures. */
export class ErasuresGroup extends HttpApiGroup.make("erasures")
  .add(
    HttpApiEndpoint.delete("eraseRun", "/api/v1/runs/:run_id", { params: { run_id: id("The run's id") }, ...erases })
      .annotate(Access, { reach: "workspace", scope: "data:erase" })
      .annotate(OpenApi.Transform, docs)
      .annotate(OpenApi.Summary, "Erase a run")
      .annotate(
        OpenApi.Description,
        "Erases a run with its log, events, deliveries, notices and entries in the activity feed; one that has not ended is " +
          "cancelled first. Open questions of its session are closed, and a run that is executed there is cancelled, since both " +
          "may hold what was said before. A session without another run goes as well." +
          FINAL
      ),
    HttpApiEndpoint.delete("eraseSession", "/api/v1/sessions/:session_id", {
      params: { session_id: id("The session's id") },
      ...erases
    })
      .annotate(Access, { reach: "workspace", scope: "data:erase" })
      .annotate(OpenApi.Transform, docs)
      .annotate(OpenApi.Summary, "Erase a session")
      .annotate(
        OpenApi.Description,
        "Erases a session with all of its runs, as `DELETE /api/v1/runs/{run_id}` does with one. It is not found from now on, and " +
          "no run joins it." +
          FINAL
      ),
    HttpApiEndpoint.post("eraseAgent", "/api/v1/agents/:agent_id/erase", {
      params: { agent_id: id("The agent's id") },
      ...erases
    })
      .annotate(Access, { reach: "workspace", scope: "data:erase" })
      .annotate(OpenApi.Transform, docs)
      .annotate(OpenApi.Summary, "Erase an agent")
      .annotate(
        OpenApi.Description,
        "Erases an agent, archived or not, with its settings, secrets and inbound URL, and with all of its runs. It is archived at " +
          "once. `DELETE /api/v1/agents/{agent_id}` archives it alone." +
          FINAL
      ),
    HttpApiEndpoint.delete("eraseWorkspace", "/api/v1/org/workspaces/:workspace_id", {
      params: { workspace_id: id("The workspace's id") },
      ...erases
    })
      .annotate(Access, { reach: "organization", scope: "data:erase" })
      .annotate(OpenApi.Transform, docs)
      .annotate(OpenApi.Summary, "Erase a workspace")
      .annotate(
        OpenApi.Description,
        "Erases a workspace with everything in it: agents, runs, keys, provider keys, feeds. From now on it is not found, its keys " +
          "are unknown, its inbound URLs are 404 and open streams end; the rest goes a minute and a half later, when requests that " +
          "had begun are over. What it has cost stays in the sums of the organization, under its id." +
          FINAL
      ),
    HttpApiEndpoint.get("getErasure", "/api/v1/erasures/:erasure_id", {
      params: { erasure_id: id("The erasure's id") },
      success: ErasureView,
      error: NotFound
    })
      .annotate(Access, { reach: "caller", scope: "data:erase" })
      .annotate(OpenApi.Summary, "Read an erasure")
      .annotate(
        OpenApi.Description,
        "How far an erasure has come. A workspace key sees those of its workspace, an organization key and an owner all of the " +
          "organization; where such a caller names a workspace, those of that one."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Erasures")
  .annotate(OpenApi.Description, "Deleting for good, as data protection asks for it") {}
