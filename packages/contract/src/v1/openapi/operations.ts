/** Operations of the document beyond the schemas of the endpoints. */
import { Provider } from "@agent-platform/keys"
import type { Schema } from "effect"
import type { EndpointAccess, Reach } from "../access.ts"
import { ChatCompletionChunk, GatewayResponseEvent } from "../gatewaySchemas.ts"
import { linksOf } from "./links.ts"
import { schemaOf } from "./schemas.ts"
import { type Json, type Operation, type Parameter, type Response, ref, withSentence } from "./shapes.ts"
import { headersOf } from "./shared.ts"

/** All that is known of an operation beside its schemas. */
export interface OperationFacts {
  readonly group: string
  readonly access: EndpointAccess
  /** Most bytes of its body, where it takes one. */
  readonly bodyBytes: number | undefined
}

const CALLERS: Readonly<Record<Reach, string>> = {
  workspace: "keys and sessions, for a workspace",
  organization: "organization keys; sessions of owners and admins",
  organization_key: "organization keys",
  session: "sessions",
  caller: "every key and session",
  attempt: "agents, with the token of their attempt",
  public: "everybody"
}

const capitals = (name: string): string => name.replaceAll(/(^|-)[a-z]/g, (letters) => letters.toUpperCase())

/** The documentation of an event stream, which cannot be generated. */
interface StreamDoc {
  /** The description of the answer, for operations that answer nothing else. */
  readonly response?: string
  /** The description of its events. */
  readonly description: string
  /** The component that the data of each event is, or its own schema where nothing else answers it. */
  readonly data: string | Schema.Constraint
  /** Whether it comes as lines of JSON, too. */
  readonly hasLines?: true
}

const STREAMS: Readonly<Record<string, StreamDoc>> = {
  "/api/v1/runs/{run_id}/logs": {
    description: "Events whose `id` is `seq`, whose `event` is `type` and whose `data` is a RunEvent",
    data: "RunEvent",
    hasLines: true
  },
  "/api/v1/runs/stream": {
    response: "The workspace's runs as they change",
    description:
      "Events whose `id` is how far the runs have been followed, whose `event` is `run` and whose `data` is a Run",
    data: "Run"
  },
  "/api/v1/notifications/stream": {
    response: "The workspace's notices as they are posted",
    description:
      "Events whose `id` is how far the feed has been read, whose `event` is the notice's type and whose `data` is a Notification",
    data: "Notification"
  },
  "/api/v1/gateway/chat/completions": {
    response: "The answer; with `stream` its chunks",
    description: "Events whose `data` is a chunk of the answer, and a last one whose `data` is `[DONE]`",
    data: ChatCompletionChunk
  },
  "/api/v1/gateway/responses": {
    response: "The answer; with `stream` its events",
    description: "Events whose `event` is the `type` of their `data`, the last of which has the answer as `response`",
    data: GatewayResponseEvent
  },
  "/api/v1/org/webhooks/stream": {
    response: "The organization's events as they are published",
    description:
      "Events whose `id` is the event's id, whose `event` is its type and whose `data` is the envelope as deliveries carry it",
    data: "WebhookEvent"
  }
}

const completeContent = (path: string, content: Record<string, { schema: Json }>): Record<string, { schema: Json }> => {
  const plain = Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, { schema }]))
  const { "text/event-stream": stream, ...others } = plain
  if (stream === undefined) return plain
  const doc = STREAMS[path]
  if (doc === undefined) throw new Error(`Nothing is said of the events of ${path}`)
  const data = typeof doc.data === "string" ? ref(`schemas/${doc.data}`) : schemaOf(doc.data)
  return {
    "text/event-stream": { schema: { type: "string", description: doc.description, "x-event-data": data } },
    ...(doc.hasLines === true ? { "application/x-ndjson": { schema: data } } : {}),
    ...others
  }
}

const completeResponse = (path: string, status: string, response: Response): Response => ({
  ...response,
  // The generator describes an answer as "Success" that has no description of its own, such as that of a stream.
  ...(response.description === "Success" ? { description: STREAMS[path]?.response ?? response.description } : {}),
  headers: {
    ...Object.fromEntries(Object.entries(response.headers ?? {}).map(([name, header]) => [capitals(name), header])),
    ...headersOf(status)
  },
  ...(response.content === undefined ? {} : { content: completeContent(path, response.content) })
})

/** The methods that change nothing. RFC 9110, 9.2.1. */
const SAFE_METHODS: ReadonlyArray<string> = ["get", "head", "options"]

/** The headers that hold for an operation: only keys and sessions name a workspace. */
const sharedParameters = (method: string, { security }: Operation): ReadonlyArray<Parameter> => {
  const takesKeys = security.some((scheme) => "apiKey" in scheme)
  return [
    ...(takesKeys ? [ref("parameters/WorkspaceId")] : []),
    ...(takesKeys && !SAFE_METHODS.includes(method) ? [ref("parameters/CsrfToken")] : []),
    ref("parameters/RequestId")
  ]
}

/** Bytes as people write them. */
const written = (bytes: number): string => (bytes < 1024 ** 2 ? `${bytes / 1024} KiB` : `${bytes / 1024 ** 2} MiB`)

/** Adds what the body of an operation may measure, where it takes one. */
const limitBody = (operation: Operation, bytes: number | undefined): Operation => {
  const tooLarge = operation.responses["413"]
  if (bytes === undefined || tooLarge === undefined) return operation
  return {
    ...operation,
    requestBody: { ...operation.requestBody, "x-max-bytes": bytes },
    responses: {
      ...operation.responses,
      413: { ...tooLarge, description: `The body is larger than ${written(bytes)}` }
    }
  }
}

/** Shows an example of a body, and marks one that has no required member as one that may be left out. */
const completeBody = (operation: Operation, schemas: Readonly<Record<string, Json>>): Operation => {
  const { content = {} } = (operation.requestBody ?? {}) as { readonly content?: Record<string, { schema?: Json }> }
  const body = content["application/json"]
  const schema = schemas[String(body?.schema?.["$ref"]).replace("#/components/schemas/", "")]
  if (body === undefined || schema === undefined) return operation
  const [example] = (schema["examples"] ?? []) as ReadonlyArray<unknown>
  const shown = example === undefined ? content : { ...content, "application/json": { ...body, example } }
  const optional = schema["required"] === undefined ? { required: false } : {}
  return { ...operation, requestBody: { ...operation.requestBody, ...optional, content: shown } }
}

/** Who may call an operation, for programs and in its text. Generators make modules by the group. */
const accessOf = ({ access: { browser, reach, scope }, group }: OperationFacts, description: string | undefined) => {
  const callers = `${CALLERS[reach]}${browser === undefined ? "" : "; browser keys"}`
  return {
    "x-group": group,
    "x-required-scopes": scope === null ? [] : [scope],
    "x-callers": callers,
    description: withSentence(
      description,
      scope === null ? `For ${callers}.` : `Needs the scope \`${scope}\`; for ${callers}.`
    )
  }
}

/** The schema of a provider in a path, with its names. The endpoint's own schema has none: an unknown one is to be 404, not 422. */
const worded = ({ format, ...schema }: Json): Json =>
  format === "provider" ? { ...schema, enum: Provider.literals } : format === undefined ? schema : { ...schema, format }

const completeParameter = (parameter: Parameter): Parameter => {
  const description = parameter.description ?? parameter.schema?.["description"]
  return {
    ...parameter,
    ...(parameter.schema === undefined ? {} : { schema: worded(parameter.schema) }),
    ...(parameter.in === "header" ? { name: capitals(parameter.name ?? "") } : {}),
    ...(typeof description === "string" ? { description } : {})
  }
}

/** An operation as the document has it. */
export const completeOperation = (given: {
  readonly path: string
  readonly method: string
  readonly operation: Operation
  readonly facts: OperationFacts | undefined
  readonly schemas: Readonly<Record<string, Json>>
}): Operation => {
  const { facts, method, path } = given
  if (facts === undefined) throw new Error(`Nothing is known of ${given.operation.operationId}`)
  const operation = completeBody(limitBody(given.operation, facts.bodyBytes), given.schemas)
  // The generated id is `group.operation`. The second half alone is unique, and generators make a method of it.
  const operationId = operation.operationId.slice(operation.operationId.indexOf(".") + 1)
  const links = linksOf(operationId)
  return {
    ...operation,
    operationId,
    ...accessOf(facts, operation.description),
    parameters: [...operation.parameters.map(completeParameter), ...sharedParameters(method, operation)],
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => {
        const completed = completeResponse(path, status, response)
        return [status, links !== undefined && status.startsWith("2") ? { ...completed, links } : completed]
      })
    )
  }
}
