/** Reports all faults of a request in one response. Spec: Conventions 1; Errors 3. */
import { type ProblemIssue, Strict } from "@agent-platform/contract"
import { Effect, Layer, Result, Schema, SchemaAST } from "effect"
import { HttpServerRequest } from "effect/http"
import { type HttpApiEndpoint, HttpApiError } from "effect/http-api"
import { issuesOf, pointerOf, problemOfIssues } from "./issues.ts"
import { readJsonBody } from "./layerJsonBody.ts"

type SchemaError = HttpApiError.HttpApiSchemaError

/** A part of a request that an endpoint decodes. */
interface Part {
  readonly kind: SchemaError["kind"]
  readonly schema: Schema.Constraint | undefined
  readonly value: unknown
}

const unknownParameters = (query: object): ReadonlyArray<ProblemIssue> =>
  Object.keys(query).map((name) => ({
    pointer: pointerOf("Query", [name]),
    code: "unknown_parameter",
    detail: "is not known here"
  }))

const issuesIn = ({ kind, schema, value }: Part): ReadonlyArray<ProblemIssue> => {
  if (schema === undefined) return kind === "Query" ? unknownParameters(value as object) : []
  const decode = Schema.decodeUnknownResult(schema as Schema.ConstraintDecoder<unknown>, {
    errors: "all",
    onExcessProperty: kind === "Headers" ? "ignore" : "error"
  })
  const decoded = decode(value)
  return Result.isFailure(decoded) ? issuesOf(kind, decoded.failure.issue, value) : []
}

/** The parts of a request in the order in which its endpoint decodes them. */
const partsOf = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const query = yield* HttpServerRequest.ParsedSearchParams
  const [payload] = endpoint.payload.values()
  // A body that cannot be read is answered with its own problem, before all other faults. Strict does not declare that problem, as JsonBody
  // does, so it is passed on as a defect, which the edge answers.
  const body = payload === undefined ? undefined : yield* Effect.orDie(readJsonBody(request, endpoint))
  return [
    { kind: "Headers", schema: endpoint.headers, value: request.headers },
    { kind: "Query", schema: endpoint.query && Schema.toCodecArrayFromSingle(endpoint.query), value: query },
    { kind: "Payload", schema: payload?.schemas[0], value: body }
  ] satisfies ReadonlyArray<Part>
})

/**
 * All faults. The endpoint stops at the first part with faults, which are `found`, so the parts behind that one are decoded here; all of
 * them where it found none (`at` is -1).
 */
const allFaults = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top, found: SchemaError | undefined) {
  const parts = yield* partsOf(endpoint)
  const at = parts.findIndex(({ kind }) => kind === found?.kind)
  const known = found === undefined ? [] : issuesOf(found.kind, found.cause.issue, parts[at]?.value)
  return problemOfIssues([...known, ...parts.slice(at + 1).flatMap(issuesIn)])
})

/** Whether an error is a fault in the headers, the query or the body. */
const isFaultOfRequest = <E>(error: E): error is E & SchemaError =>
  HttpApiError.HttpApiSchemaError.is(error) && ["Headers", "Query", "Payload"].includes(error.kind)

type Query = (typeof HttpServerRequest.ParsedSearchParams)["Service"]

/** A query without the endpoint's parameters that are empty. Unknown parameters stay, since they are faults even when empty. */
const withoutEmpty = (query: Query, { ast }: Schema.Constraint): Query => {
  const known = new Set(SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => name) : [])
  return Object.fromEntries(Object.entries(query).filter(([name, value]) => value !== "" || !known.has(name)))
}

/**
 * Refuses query parameters of an endpoint that has none (at others the parse options of the contract do), and reports all faults of a
 * request that cannot be decoded. Empty parameters count as absent.
 */
export const layerStrict: Layer.Layer<Strict> = Layer.succeed(Strict, (respond, { endpoint }) => {
  const refuse = (found: SchemaError | undefined) =>
    Effect.flatMap(allFaults(endpoint, found), (problem) => Effect.fail(problem))
  const decoded = Effect.catchIf(respond, isFaultOfRequest, (error) => refuse(error))
  const schema = endpoint.query
  return Effect.flatMap(HttpServerRequest.ParsedSearchParams, (query) => {
    if (schema === undefined) return Object.keys(query).length > 0 ? refuse(undefined) : decoded
    if (!Object.values(query).includes("")) return decoded
    return Effect.provideService(decoded, HttpServerRequest.ParsedSearchParams, withoutEmpty(query, schema))
  })
})
