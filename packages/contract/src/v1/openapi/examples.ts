/** Examples for the OpenAPI document: of answers by their schemas, and of every problem by its code. */
import { FORMS } from "../formats.ts"
import { PROBLEMS, type ProblemCode, problemKind } from "../problemCodes.ts"

type Json = Readonly<Record<string, unknown>>

const ID = "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77"

/** Examples of members by name, in every schema. A null means that the member is usually absent. */
const BY_NAME: Json = {
  alg: "ed25519",
  algorithm: "ed25519",
  allowed_ips: [],
  allowed_models: [],
  attempt: 1,
  attempt_count: 1,
  base_url: null,
  cancel_requested_at: null,
  code: "rejected",
  csrf_token: null,
  customer: "42",
  data: {},
  date: "2026-11-21",
  decision: "approve",
  description: "Says hello",
  detail: "An explanation of the problem",
  disabled_reason: null,
  duration_ms: 41,
  email: "ada@example.com",
  error: null,
  error_code: null,
  event_type: "run.succeeded",
  event_types: ["run.succeeded", "run.failed"],
  fingerprint: "6f1ed002ab559585",
  hint: "apk_ws_D3rG…oLaK",
  input: { name: "Ada" },
  input_schema: null,
  instructions: "Be brief.",
  interrupt: null,
  key: "apk_ws_…",
  label: "CI",
  last_error: null,
  last_seq: 7,
  max_attempts: 1,
  message: "Hello",
  metadata: { order: "4711" },
  model: null,
  name: "Greeter",
  next_attempt_at: null,
  next_cursor: null,
  next_timezone: null,
  number: 1,
  organization_role: "admin",
  period: "2026-11",
  pointer: "/messages/0/text",
  priority: 100,
  prompt: "Hello",
  provider: "openai",
  provider_code: null,
  provider_status: null,
  reason: "Wrong customer",
  recipe: "demo",
  recipes: [],
  remote_ip: "203.0.113.7",
  response_code: 200,
  response_excerpt: "ok",
  result: "You said: Hello",
  resumed_by_run_id: null,
  resumes_run_id: null,
  retired_at: null,
  secret: "whsec_…",
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  signature: "3Hqy…",
  scopes: ["runs:read", "runs:write"],
  seq: 7,
  state_reason: null,
  tags: ["nightly"],
  text: "Hello",
  timezone: "Europe/Berlin",
  title: "In words",
  tools: [],
  type: "run.succeeded",
  url: "https://example.com/hooks",
  version: 1
}

/** Examples by schema, for members that depend on each other. */
const BY_SCHEMA: Readonly<Record<string, Json>> = {
  Run: { status: "succeeded", message: "You said: Hello" },
  RecordRun: { status: "succeeded" },
  Delivery: { state: "delivered" },
  AgentWebhook: { url: `https://agents.example.com/api/v1/hooks/${ID}/token` },
  ProviderKey: { hint: "sk-p…oLaK" },
  RunTrigger: { type: "api", id: null },
  Attempt: { error: null },
  Replay: { status: "all" }
}

type Schemas = Readonly<Record<string, Json>>

const isNull = ({ type }: Json): boolean => type === "null"

const refOf = ({ $ref }: Json): string | undefined =>
  typeof $ref === "string" ? $ref.slice($ref.lastIndexOf("/") + 1) : undefined

/** Whether a schema takes a value, as far as its type and its words say. */
const admits = (schema: Json, value: unknown): boolean => {
  const branches = Array.isArray(schema["anyOf"]) ? (schema["anyOf"] as ReadonlyArray<Json>) : [schema]
  return branches.some((branch) => {
    if (Array.isArray(branch["enum"])) return branch["enum"].includes(value)
    switch (branch["type"]) {
      case undefined:
        return refOf(branch) === undefined
      case "integer":
      case "number":
        return typeof value === "number"
      case "array":
        return Array.isArray(value)
      case "object":
        return typeof value === "object" && value !== null && !Array.isArray(value)
      case "null":
        return value === null
      default:
        return typeof value === branch["type"]
    }
  })
}

/** The example of a member or an item: that of its name if it fits, else its own, else the simplest value of its type. */
const exampleIn = (schemas: Schemas, schema: Json, name: string): unknown => {
  const ref = refOf(schema)
  if (ref !== undefined) return exampleOf(schemas, ref)
  if (name in BY_NAME && schema["properties"] === undefined && admits(schema, BY_NAME[name])) return BY_NAME[name]
  const {
    anyOf,
    enum: words,
    examples,
    minimum,
    oneOf,
    type
  } = schema as {
    readonly anyOf?: ReadonlyArray<Json>
    readonly enum?: ReadonlyArray<unknown>
    readonly examples?: ReadonlyArray<unknown>
    readonly minimum?: number
    readonly oneOf?: ReadonlyArray<Json>
    readonly type?: string
  }
  if (examples !== undefined && examples.length > 0) return examples[0]
  if (words !== undefined) return words[0]
  const branches = anyOf ?? oneOf
  if (branches !== undefined) return exampleIn(schemas, branches.find((branch) => !isNull(branch)) ?? {}, name)
  switch (type) {
    case "string":
      if (name === "id" || name.endsWith("_id") || schema["format"] === "uuid") return ID
      if (schema["pattern"] === FORMS["usd"]) return "0.00027"
      if (schema["format"] === "date-time") return "2026-11-21T05:15:00.123Z"
      return schema["format"] === "uri" ? "https://example.com/" : "…"
    case "integer":
    case "number":
      return Math.max(0, minimum ?? 0)
    case "boolean":
      return false
    case "array":
      return [exampleIn(schemas, (schema["items"] ?? {}) as Json, name)]
    case "object":
      return membersOf(schemas, schema)
    default:
      return null
  }
}

const membersOf = (schemas: Schemas, schema: Json): Json =>
  Object.fromEntries(
    Object.entries((schema["properties"] ?? {}) as Schemas).map(([name, member]) => [
      name,
      exampleIn(schemas, member, name)
    ])
  )

/** The example of a component: its own, or one that its members make. */
const exampleOf = (schemas: Schemas, component: string): unknown => {
  const schema = schemas[component] ?? {}
  const { examples } = schema
  if (Array.isArray(examples) && examples.length > 0) return examples[0]
  return schema["type"] === "object"
    ? { ...membersOf(schemas, schema), ...BY_SCHEMA[component] }
    : exampleIn(schemas, schema, "")
}

const problemExample = (code: ProblemCode): Json => {
  const { explanation, retryable, status, title } = problemKind(code)
  return {
    type: `https://agents.example.com/problems/${code}`,
    title,
    status,
    detail: explanation,
    instance: "/api/v1/runs/",
    code,
    request_id: "5a0e1bd6-5f0c-4c0c-a4ea-8a7a8a0f2a51",
    retryable,
    ...(code === "validation_failed"
      ? { errors: [{ pointer: "/agent_id", code: "required", detail: "is required" }] }
      : {})
  }
}

/** Every problem that a component can be, one example a code; undefined for what is none. */
const problemExamples = (schema: Json): ReadonlyArray<Json> | undefined => {
  const code = ((schema["properties"] ?? {}) as Schemas)["code"]
  const [only] = (code?.["anyOf"] ?? [code]) as ReadonlyArray<Json | undefined>
  const codes = only?.["enum"]
  return Array.isArray(codes) && codes.every((one) => Object.hasOwn(PROBLEMS, one))
    ? codes.map((one: ProblemCode) => problemExample(one))
    : undefined
}

/** The components, each with an example at least: problems with one for every code. */
export const withExamples = (schemas: Schemas): Record<string, Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const examples = problemExamples(schema) ?? schema["examples"] ?? [exampleOf(schemas, name)]
      return [name, { ...schema, examples }]
    })
  )
