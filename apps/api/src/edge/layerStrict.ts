/** All faults of a request in one answer. Contract: Conventions, unknown members and parameters. */
import { type ProblemIssue, Strict } from "@agent-platform/contract"
import { Effect, Layer, Result, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { type HttpApiEndpoint, HttpApiError } from "effect/http-api"
import { issuesOf, problemOfIssues } from "./issues.ts"
import { readJsonBody } from "./layerJsonBody.ts"

type Kind = HttpApiError.HttpApiSchemaError["kind"]

/** A value with more parts than this is answered with its first fault: finding all of them can take seconds. */
const PARTS_MAX = 2_000

/** How many values there are in a value, counted up to `limit`. */
const partsOf = (value: unknown, limit: number): number => {
  if (typeof value !== "object" || value === null) return 1
  let count = 1
  for (const inner of Object.values(value)) {
    if (count > limit) return count
    count += partsOf(inner, limit - count)
  }
  return count
}

const issuesIn = (kind: Kind, schema: Schema.Constraint | undefined, value: unknown): ReadonlyArray<ProblemIssue> => {
  if (schema === undefined) return []
  const decode = Schema.decodeUnknownResult(schema as Schema.ConstraintDecoder<unknown>, {
    errors: partsOf(value, PARTS_MAX) > PARTS_MAX ? "first" : "all",
    onExcessProperty: kind === "Headers" ? "ignore" : "error",
    // Looked at for its type alone, and never repeated.
    reportInput: true
  })
  const decoded = decode(value)
  return Result.isFailure(decoded) ? issuesOf(kind, decoded.failure.issue) : []
}

const unknownParameters = (query: object): ReadonlyArray<ProblemIssue> =>
  Object.keys(query).map((name) => ({ pointer: `?${name}`, code: "unknown_parameter", detail: "is not known here" }))

/** Every fault there is, part by part; only for requests that have one, since it decodes everything once more. */
const allFaults = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const query = yield* HttpServerRequest.ParsedSearchParams
  const [payload] = endpoint.payload.values()
  // What is wrong with the body as such goes first. It is a problem of its own, which the endpoint declares with JsonBody.
  const body = payload === undefined ? undefined : yield* Effect.orDie(readJsonBody(request))
  return problemOfIssues([
    ...issuesIn("Headers", endpoint.headers, request.headers),
    ...(endpoint.query === undefined
      ? unknownParameters(query)
      : issuesIn("Query", Schema.toCodecArrayFromSingle(endpoint.query), query)),
    ...issuesIn("Payload", payload?.schemas[0], body)
  ])
})

const isFaultOfRequest = (error: unknown): error is HttpApiError.HttpApiSchemaError =>
  HttpApiError.HttpApiSchemaError.is(error) && error.kind !== "Body" && error.kind !== "ResponseHeaders"

/** Refuses unknown query parameters, and answers a request that cannot be decoded with all that is wrong with it. */
export const layerStrict: Layer.Layer<Strict> = Layer.succeed(Strict, (respond, { endpoint }) => {
  const refused = Effect.flatMap(allFaults(endpoint), (problem) => Effect.fail(problem))
  const decoded = Effect.catchIf(respond, isFaultOfRequest, () => refused)
  if (endpoint.query !== undefined) return decoded
  return Effect.flatMap(HttpServerRequest.ParsedSearchParams, (query) =>
    Object.keys(query).length > 0 ? refused : decoded
  )
})
