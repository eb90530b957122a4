/** The poll of a run, which is asked for more than all else. */
import { Api } from "@agent-platform/contract"
import { parseId } from "@agent-platform/kernel"
import { RunId, Runs } from "@agent-platform/runs"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { makeIdentify } from "./authentication.ts"
import { inWorkspace } from "./callers.ts"
import { withProblems } from "./edge/layerProblems.ts"
import { notFound } from "./edge/problems.ts"
import { promptly } from "./edge/promptly.ts"
import { runAnswer } from "./views/runBody.ts"

const PATH = "/api/v1/runs/"

/** The address of a run, and nothing after it. */
const ADDRESS = /^\/api\/v1\/runs\/[0-9A-Fa-f-]{36}$/

/**
 * The answer to `GET /api/v1/runs/{run_id}` without a query; undefined for every other request. It is what the endpoint of the
 * contract answers, made of the same parts, without what is done around every endpoint for each request: of the time
 * between sockets and stores that was half. A test holds the two together.
 */
export const makePoll = Effect.gen(function* () {
  const runs = yield* Runs
  const identify = yield* makeIdentify
  const endpoint = Api.groups.runs.endpoints.getRun

  const read = Effect.gen(function* () {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const { caller } = yield* identify(endpoint)
    const runId = parseId(RunId, url.slice(PATH.length))
    if (runId === undefined) return yield* notFound()
    const reading = runs.readRun({ caller: yield* inWorkspace(caller), runId, waitSeconds: 0 })
    const run = yield* Effect.catchTag(promptly(reading), "RunNotFound", () => Effect.fail(notFound()))
    return runAnswer(run, { status: 200 })
  })
  // As the router has it: for who goes away nothing is waited for any more.
  const answered = Effect.interruptible(withProblems(read, endpoint))

  return ({ method, url }: HttpServerRequest.HttpServerRequest): typeof answered | undefined =>
    method === "GET" && ADDRESS.test(url) ? answered : undefined
})
