/** The parts of the OpenAPI document beyond the schemas of the endpoints. */

import { withExamples } from "./openApiExamples.ts"

type Json = Record<string, unknown>

interface Response {
  description: string
  content?: Record<string, { schema: Json }>
  headers?: Record<string, unknown>
}

interface Parameter {
  name?: string
  in?: string
  schema?: Json
  description?: string
  $ref?: string
}

interface Operation {
  operationId: string
  requestBody?: Json
  security: ReadonlyArray<object>
  parameters: Array<Parameter>
  responses: Record<string, Response>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json>; parameters?: Json; headers?: Json }
}

const parameters = {
  WorkspaceId: {
    name: "X-Workspace-Id",
    in: "header",
    required: false,
    description:
      "The workspace that the request is about. An organization key must name one where the operation concerns a " +
      "workspace, and so must a session; a workspace key may name its own.",
    schema: { type: "string", format: "uuid" }
  },
  CsrfToken: {
    name: "X-CSRF-Token",
    in: "header",
    required: false,
    description: "Needed with a session's cookie, not with a key: the `csrf_token` of `GET /api/v1/auth/me`.",
    schema: { type: "string" }
  },
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    required: false,
    description:
      "The caller's own id for the request: up to 128 visible ASCII characters. Another is made when it is " +
      "missing or has another form.",
    schema: { type: "string", maxLength: 128 }
  }
}

const headers = {
  RequestId: { description: "The id of the request, on every response", schema: { type: "string" } },
  RetryAfter: { description: "Seconds after which a repetition makes sense", schema: { type: "integer" } },
  RateLimitPolicy: {
    description:
      'The limits that count the request, such as `"api_key";q=600;w=60`. On every answer to a key that has one',
    schema: { type: "string" }
  },
  RateLimit: {
    description: 'The requests left, such as `"api_key";r=599;t=1`. On every answer to a key that has one',
    schema: { type: "string" }
  },
  WwwAuthenticate: { description: "How to authenticate, by RFC 6750", schema: { type: "string" } }
}

const ref = (path: string) => ({ $ref: `#/components/${path}` })

const headersOf = (status: string): Json => ({
  "X-Request-Id": ref("headers/RequestId"),
  ...(status === "401" ? { "WWW-Authenticate": ref("headers/WwwAuthenticate") } : {}),
  ...(status === "429" || status === "503" ? { "Retry-After": ref("headers/RetryAfter") } : {}),
  ...(status === "429"
    ? { "RateLimit-Policy": ref("headers/RateLimitPolicy"), RateLimit: ref("headers/RateLimit") }
    : {})
})

const capitals = (name: string): string => name.replaceAll(/(^|-)[a-z]/g, (letters) => letters.toUpperCase())

/** The documentation of an event stream, which cannot be generated. */
interface StreamDoc {
  /** The description of the answer, for operations that answer nothing else. */
  readonly response?: string
  /** The description of its events. */
  readonly description: string
  /** The component that its lines of JSON are, where it comes as such, too. */
  readonly lines?: string
}

const STREAMS: Readonly<Record<string, StreamDoc>> = {
  "/api/v1/runs/{run_id}/logs": {
    description: "Events whose `id` is `seq`, whose `event` is `type` and whose `data` is a RunEvent",
    lines: "RunEvent"
  },
  "/api/v1/notifications/stream": {
    response: "The workspace's notices as they are posted",
    description:
      "Events whose `id` is how far the feed has been read, whose `event` is the notice's type and whose `data` is a Notification"
  },
  "/api/v1/org/webhooks/stream": {
    response: "The organization's events as they are published",
    description:
      "Events whose `id` is the event's id, whose `event` is its type and whose `data` is the envelope as deliveries carry it"
  }
}

const completeContent = (path: string, content: Record<string, { schema: Json }>): Record<string, { schema: Json }> => {
  const plain = Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, { schema }]))
  if (plain["text/event-stream"] === undefined) return plain
  const { description, lines } = STREAMS[path] ?? { description: "Events" }
  return {
    "text/event-stream": { schema: { type: "string", description } },
    ...(lines === undefined ? {} : { "application/x-ndjson": { schema: ref(`schemas/${lines}`) } }),
    ...Object.fromEntries(Object.entries(plain).filter(([type]) => type !== "text/event-stream"))
  }
}

const completeResponse = (path: string, status: string, response: Response): Response => ({
  ...response,
  // A stream has no schema that could describe it.
  ...(response.description === "Success" ? { description: STREAMS[path]?.response ?? response.description } : {}),
  headers: {
    ...Object.fromEntries(Object.entries(response.headers ?? {}).map(([name, header]) => [capitals(name), header])),
    ...headersOf(status)
  },
  ...(response.content === undefined ? {} : { content: completeContent(path, response.content) })
})

/** The methods that change nothing. RFC 9110, 9.2.1. */
const SAFE_METHODS: ReadonlyArray<string> = ["get", "head", "options"]

/** The headers that hold for an operation: one without a credential is about no workspace. */
const sharedParameters = (method: string, { security }: Operation): ReadonlyArray<Parameter> => [
  ...(security.length === 0 ? [] : [ref("parameters/WorkspaceId")]),
  ...(security.length === 0 || SAFE_METHODS.includes(method) ? [] : [ref("parameters/CsrfToken")]),
  ref("parameters/RequestId")
]

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

const completeOperation = (path: string, method: string, operation: Operation): Operation => ({
  ...operation,
  parameters: [
    ...operation.parameters.map((parameter) => {
      const description = parameter.description ?? parameter.schema?.["description"]
      return {
        ...parameter,
        ...(parameter.in === "header" ? { name: capitals(parameter.name ?? "") } : {}),
        ...(typeof description === "string" ? { description } : {})
      }
    }),
    ...sharedParameters(method, operation)
  ],
  responses: Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => [status, completeResponse(path, status, response)])
  )
})

/** Marks a body that has no required member as one that may be left out. */
const relaxBody = (operation: Operation, schemas: Readonly<Record<string, Json>>): Operation => {
  const { content = {} } = (operation.requestBody ?? {}) as { readonly content?: Record<string, { schema?: Json }> }
  const name = String(content["application/json"]?.schema?.["$ref"]).replace("#/components/schemas/", "")
  const schema = schemas[name]
  return schema === undefined || schema["required"] !== undefined
    ? operation
    : { ...operation, requestBody: { ...operation.requestBody, required: false } }
}

const isRequestBody = (name: string): boolean => /^New|(Change|Rotation|Cancel)$/.test(name)

/** Answers may gain members in later versions, so only bodies that are taken in are closed. */
const openSchema = ([name, schema]: [string, Json]): [string, Json] => {
  if (isRequestBody(name)) return [name, schema]
  const { additionalProperties, ...rest } = schema
  return [name, additionalProperties === false ? rest : schema]
}

/**
 * Completes the generated document: the headers that hold for every operation, the other formats of a run's log, components
 * under the names that people know them by, and the limits of bodies, by the id of their operation.
 */
export const completeDocument = (generated: Json, bodyLimits: ReadonlyMap<string, number>): Json => {
  const renamed = JSON.parse(
    JSON.stringify(generated).replaceAll(/"#\/components\/schemas\/(\w+?)Encoded"/g, '"#/components/schemas/$1"')
  ) as Document
  const schemas = Object.fromEntries(
    Object.entries(renamed.components.schemas)
      .map(([name, schema]): [string, Json] => openSchema([name.replace(/Encoded$/, ""), schema]))
      .sort(([a], [b]) => (a < b ? -1 : 1))
  )
  const paths = Object.fromEntries(
    Object.entries(renamed.paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations).map(([method, operation]) => [
          method,
          completeOperation(
            path,
            method,
            relaxBody(limitBody(operation, bodyLimits.get(operation.operationId)), schemas)
          )
        ])
      )
    ])
  )
  const components = { ...renamed.components, parameters, headers, schemas: withExamples(schemas) }
  return { ...renamed, paths, components }
}
