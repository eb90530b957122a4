/** The document that the interface is published as. `UPDATE_OPENAPI=1` writes it anew. */

import { readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { Api, hooks } from "../src/index.ts"
import { OPERATIONS } from "./operations.ts"

const FILE = new URL("../openapi.json", import.meta.url)

interface Parameter {
  readonly $ref?: string
  readonly name?: string
  readonly in?: string
  readonly description?: string
  readonly schema?: Readonly<Record<string, unknown>>
}

interface Operation {
  readonly operationId: string
  readonly "x-required-scopes": ReadonlyArray<string>
  readonly "x-callers": string
  readonly summary?: string
  readonly description?: string
  readonly security: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Readonly<Record<string, unknown>> }>>
    readonly "x-max-bytes"?: number
  }
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string
        readonly headers: Readonly<Record<string, unknown>>
        readonly content?: Readonly<Record<string, { readonly schema: Readonly<Record<string, unknown>> }>>
        readonly links?: Readonly<
          Record<string, { readonly operationId: string; readonly parameters: Readonly<Record<string, string>> }>
        >
      }
    >
  >
}

interface Component {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly additionalProperties?: unknown
  readonly examples?: ReadonlyArray<unknown>
  readonly oneOf?: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly discriminator?: { readonly mapping: Readonly<Record<string, string>> }
}

const generated = OpenApi.fromApi(Api)
const document = JSON.parse(JSON.stringify(generated)) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Component>>
    readonly securitySchemes: Readonly<Record<string, unknown>>
  }
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation }))
)

/** Whether there is a description on the member, or on what it stands for. */
const isDescribed = (schema: Readonly<Record<string, unknown>>): boolean =>
  typeof schema["description"] === "string" ||
  typeof schema["$ref"] === "string" ||
  (Array.isArray(schema["anyOf"]) && schema["anyOf"].some(isDescribed)) ||
  (Array.isArray(schema["allOf"]) && schema["allOf"].some(isDescribed)) ||
  Array.isArray(schema["enum"])

/** The operations that take no credential: the URL of one is it, and a signature that of the other. */
const HOOK = "POST /api/v1/hooks/{agent_id}/{token}"
const CALLBACK = "POST /api/v1/runs/{run_id}/callback"

/** The operations that take the token of an attempt. */
const GATEWAY = "POST /api/v1/gateway/"

/** The lists and objects in a schema of which nothing says how much they may hold, by where they are. */
const unboundedIn = (schema: Readonly<Record<string, unknown>>, path: string): ReadonlyArray<string> => {
  const ref = schema["$ref"]
  const all = Array.isArray(schema["anyOf"]) ? schema["anyOf"] : []
  if (typeof ref === "string") {
    const name = ref.split("/").at(-1)!
    return unboundedIn(document.components.schemas[name] as Readonly<Record<string, unknown>>, `${path} ${name}`)
  }
  if (all.length > 0) return all.flatMap((one) => unboundedIn(one, path))
  if (schema["type"] === "array") {
    const inside = unboundedIn(schema["items"] as Readonly<Record<string, unknown>>, `${path}/0`)
    return schema["maxItems"] === undefined ? [path, ...inside] : inside
  }
  if (schema["type"] !== "object") return []
  const members = (schema["properties"] ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>
  const inside = Object.entries(members).flatMap(([name, member]) => unboundedIn(member, `${path}/${name}`))
  const isBounded = schema["additionalProperties"] === false || schema["maxProperties"] !== undefined
  return isBounded ? inside : [path, ...inside]
}

/** Names of members whose texts have a form, and the words that say it. */
const FORMS: ReadonlyArray<readonly [RegExp, ReadonlyArray<string>]> = [
  [/(^|_)url$/, ["format", "maxLength"]],
  [/_at$/, ["format"]],
  [/^(date|email)$/, ["format", "maxLength"]],
  [/_usd$/, ["pattern"]],
  [/^(period|sha256|fingerprint|action)$/, ["pattern"]]
]

/**
 * Members that may hold anything, or an object of any members: those that a caller, an agent or a tool gives, payloads of feeds,
 * data without a member yet, and those that libraries of OpenAI send to the gateway.
 */
const OPEN = {
  given: ["arguments", "data", "input", "input_schema", "interrupt", "output", "output_schema", "parameters"],
  alsoGiven: ["provider_options", "reply", "result", "state"],
  feeds: ["payload"],
  empty: ["RunCancelledLogData", "RunQueuedLogData", "RunStartedLogData", "RunSucceededLogData"],
  gateway: [
    ...["annotations", "logprobs"],
    ...["generate_summary", "include", "include_obfuscation", "messages", "metadata", "prompt_cache_key"],
    ...[
      "response_format",
      "safety_identifier",
      "store",
      "stream_options",
      "summary",
      "text",
      "tool_choice",
      "tools",
      "user"
    ]
  ]
}

type Shape = Readonly<Record<string, unknown>>

/** The names of members that may hold anything, or an object of any members, by component. */
const openIn = ([component, schema]: readonly [string, object]): ReadonlyArray<string> => {
  const look = (one: Shape, path: string): ReadonlyArray<string> => {
    const parts = ["anyOf", "oneOf", "allOf"].flatMap((name) => (one[name] ?? []) as ReadonlyArray<Shape>)
    if (parts.length > 0) return parts.flatMap((part) => look(part, path))
    if (one["$ref"] !== undefined || one["enum"] !== undefined) return []
    if (one["items"] !== undefined) return look(one["items"] as Shape, path)
    const members = Object.entries((one["properties"] ?? {}) as Readonly<Record<string, Shape>>)
    const others = one["additionalProperties"]
    if (typeof others === "object" && others !== null) return look(others as Shape, path)
    // A list of anything has no items, which some generators do not take.
    if (one["type"] === undefined || one["type"] === "array") return [path]
    return one["type"] === "object" && members.length === 0
      ? [path]
      : members.flatMap(([name, member]) => look(member, `${path}.${name}`))
  }
  return look(schema as Shape, component)
}

describe("openapi.json", () => {
  it("bounds every list and every object of a request body", () => {
    const bodies = operations.flatMap(({ name, operation }) => {
      const content = operation.requestBody?.content["application/json"]
      return content === undefined ? [] : [{ name, schema: content.schema }]
    })
    assert.isAbove(bodies.length, 20)
    assert.deepStrictEqual(
      bodies.flatMap(({ name, schema }) => unboundedIn(schema, name)),
      []
    )
  })

  it("says how large each request body may be", () => {
    for (const { name, operation } of operations) {
      const bytes = operation.requestBody?.["x-max-bytes"]
      assert.strictEqual(bytes !== undefined, operation.requestBody !== undefined, name)
      if (bytes === undefined) continue
      const written = bytes < 1024 ** 2 ? `${bytes / 1024} KiB` : `${bytes / 1024 ** 2} MiB`
      assert.strictEqual(operation.responses["413"]?.description, `The body is larger than ${written}`, name)
    }
  })

  it("is what the interface says it is", () => {
    const text = `${JSON.stringify(generated, null, 2)}\n`
    if (process.env["UPDATE_OPENAPI"] === "1") writeFileSync(FILE, text)
    assert.strictEqual(
      readFileSync(FILE, "utf8"),
      text,
      "Run the tests with UPDATE_OPENAPI=1 and look at what has changed"
    )
  })

  it("names the operations of this version", () => {
    assert.deepStrictEqual(
      operations.map(({ name }) => name),
      OPERATIONS
    )
  })

  for (const { name, operation } of operations) {
    it(`describes ${name}: itself, its parameters, its security and every status`, () => {
      assert.isString(operation.summary)
      assert.isString(operation.description)
      const isLogin = name.includes("/auth/oauth/{provider}")
      const isGateway = name.startsWith(GATEWAY)
      const isPublic = name.includes("/auth/oauth/") || name === HOOK || name === CALLBACK
      const keyed = isGateway ? [{ attempt: [] }] : [{ bearer: [] }, { apiKey: [] }, { session: [] }]
      assert.deepStrictEqual(operation.security, isPublic ? [] : keyed)
      const refs = operation.parameters.map(({ $ref }) => $ref)
      assert.include(refs, "#/components/parameters/RequestId")
      assert.strictEqual(refs.includes("#/components/parameters/WorkspaceId"), !isPublic && !isGateway)
      const isUnsafe = !name.startsWith("GET ") && !isPublic && !isGateway
      assert.strictEqual(refs.includes("#/components/parameters/CsrfToken"), isUnsafe)
      for (const parameter of operation.parameters.filter(({ $ref }) => $ref === undefined)) {
        assert.isString(parameter.description, `${parameter.in} ${parameter.name}`)
        if (parameter.in !== "query" || parameter.name === "cursor" || isPublic) continue
        assert.include(["integer", "string", "boolean", "array"], parameter.schema?.["type"])
        if (parameter.schema?.["type"] !== "integer") continue
        for (const bound of ["minimum", "maximum", "default"]) assert.isNumber(parameter.schema?.[bound])
      }
      const shared = ["400", "406", "500", "503"]
      const own = isLogin
        ? ["302", "404"]
        : name === HOOK
          ? ["202", "401", "404", "422"]
          : name === CALLBACK
            ? ["200", "401", "409", "422"]
            : isGateway
              ? ["200", "401", "402", "409", "422", "429", "503"]
              : ["401", "403", "404", "422"]
      assert.includeMembers(Object.keys(operation.responses), [
        ...shared,
        ...(isPublic && !isLogin && name !== HOOK && name !== CALLBACK ? ["200"] : own),
        ...(operation.requestBody === undefined ? [] : ["408", "413", "415"])
      ])
      for (const [status, { description, headers }] of Object.entries(operation.responses)) {
        assert.notInclude(["", "Success", "Error"], description, status)
        assert.isDefined(headers["X-Request-Id"])
      }
    })
  }

  it("describes every member of every component", () => {
    for (const [name, component] of Object.entries(document.components.schemas)) {
      for (const [member, schema] of Object.entries(component.properties ?? {})) {
        assert.isTrue(isDescribed(schema) || name === "ProblemIssue" || member === "errors", `${name}.${member}`)
      }
    }
  })

  it("closes the bodies that are taken in, shows an example of each, and leaves answers open for additions", () => {
    for (const [name, component] of Object.entries(document.components.schemas)) {
      if (!/^New|(Change|Rotation|Cancel)$/.test(name)) {
        assert.notStrictEqual(component.additionalProperties, false, name)
      } else if (component.oneOf === undefined) {
        // An agent may say more about what it does than the platform knows of.
        const isOpen = /^New(Tool.*|Log)Line$/.test(name)
        assert.strictEqual(component.additionalProperties, isOpen, name)
        assert.isNotEmpty(component.examples, name)
      }
    }
  })

  it("says the shortest secret of an inbound webhook that is taken", () => {
    const secret = document.components.schemas["NewAgentWebhook"]?.properties?.["secret"]
    const least = Number(/"minLength":(\d+)/.exec(JSON.stringify(secret))?.[1])
    const isTaken = (length: number) =>
      Schema.decodeUnknownOption(hooks.NewAgentWebhook)({ secret: "a".repeat(length) })._tag === "Some"
    assert.deepStrictEqual([isTaken(least - 1), isTaken(least)], [false, true])
  })

  it("says of each operation which scopes it needs and who may call it, for programs and in its text", () => {
    for (const { name, operation } of operations) {
      const { description = "", "x-callers": callers, "x-required-scopes": scopes } = operation
      assert.isTrue(description.endsWith(`or ${callers}.`), name)
      for (const scope of scopes) assert.include(description, `\`${scope}\``, name)
    }
    const trigger = operations.find(({ name }) => name === "POST /api/v1/runs/")
    assert.deepStrictEqual(trigger?.operation["x-required-scopes"], ["runs:write"])
  })

  it("names operations by words that generators take as they are", () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    assert.strictEqual(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z]*$/)
  })

  it("links what an operation made to operations that take its id", () => {
    const byId = new Map(operations.map(({ name, operation }) => [operation.operationId, { name, operation }]))
    let count = 0
    for (const { name, operation } of operations) {
      for (const response of Object.values(operation.responses)) {
        const schema = response.content?.["application/json"]?.schema ?? {}
        const made = document.components.schemas[String(schema["$ref"]).split("/").at(-1)!]
        for (const { operationId, parameters } of Object.values(response.links ?? {})) {
          count++
          const target = byId.get(operationId)
          assert.isDefined(target, `${name} to ${operationId}`)
          const taken = [...target!.name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
          assert.deepStrictEqual(Object.keys(parameters), taken, `${name} to ${operationId}`)
          for (const from of Object.values(parameters)) {
            const [, member = ""] = /^\$response\.body#\/(\w+)$/.exec(from) ?? []
            assert.property(made?.properties, member, `${name} to ${operationId}`)
          }
        }
      }
    }
    assert.isAbove(count, 20)
  })

  it("tells events apart by their type, of a log and of a delivery", () => {
    for (const name of ["RunEvent", "WebhookEvent"]) {
      const { discriminator, oneOf = [] } = document.components.schemas[name]!
      const named = Object.entries(discriminator?.mapping ?? {})
      assert.isAbove(named.length, 5)
      assert.deepStrictEqual(
        oneOf.map(({ $ref }) => $ref),
        named.map(([, reference]) => reference)
      )
      for (const [type, reference] of named) {
        const component = document.components.schemas[reference.split("/").at(-1)!]
        assert.deepStrictEqual(component?.properties?.["type"]?.["enum"], [type])
      }
    }
  })

  it("leaves open what the code does not know either, and nothing else", () => {
    const found = Object.entries(document.components.schemas).flatMap(openIn)
    const ofGateway = /^(NewChatCompletion|NewResponse|GatewayResponse|GatewayMessage)\./
    const nameOf = (path: string) => path.split(".").at(-1)!
    const of = (isGateway: boolean) =>
      [...new Set(found.filter((path) => ofGateway.test(path) === isGateway).map(nameOf))].sort()
    const { gateway, ...others } = OPEN
    assert.deepStrictEqual(of(true), [...gateway, "input", "provider_options"].sort())
    assert.deepStrictEqual(of(false), Object.values(others).flat().sort())
  })

  it("gives addresses, times, days, money and sums of hashes their forms", () => {
    const faults = Object.entries(document.components.schemas).flatMap(([component, { properties = {} }]) =>
      Object.entries(properties).flatMap(([name, given]) => {
        const form = FORMS.find(([pattern]) => pattern.test(name))
        const schemas = [given, ...((given["anyOf"] ?? []) as ReadonlyArray<Readonly<Record<string, unknown>>>)]
        const texts = schemas.filter(({ type }) => type === "string")
        const isFormed = texts.every(
          (text) => text["enum"] !== undefined || form?.[1].some((key) => key in text) === true
        )
        return form === undefined || isFormed ? [] : [`${component}.${name}`]
      })
    )
    assert.deepStrictEqual(faults, [])
  })

  it("holds nothing that makes generators of clients go wrong", () => {
    const schemas = JSON.stringify(document.components.schemas)
    // With a default a member of a body would be required, and a whole number is no number of 16 digits.
    assert.notMatch(schemas, /"default":(?!\{)/)
    assert.notInclude(schemas, "9007199254740991")
    const ids = [...schemas.matchAll(/"(run|session|agent|workspace|endpoint)_id":\{[^{}]*\}/g)]
    assert.isAbove(ids.length, 20)
    for (const [schema] of ids) assert.match(schema, /"format":"uuid"|"type":"null"/)
  })

  it("names the body and the JSON answer of every operation, each schema once, so that generated types have names", () => {
    const unnamed = operations.flatMap(({ name, operation }) =>
      [operation.requestBody, ...Object.values(operation.responses)].flatMap((carrier) => {
        const schema = carrier?.content?.["application/json"]?.schema
        return schema === undefined || "$ref" in schema ? [] : [name]
      })
    )
    assert.deepStrictEqual(unnamed, [HOOK, CALLBACK])
    assert.deepStrictEqual(
      Object.keys(document.components.schemas).filter((name) => /\d$/.test(name)),
      []
    )
  })

  it("says nothing of how it was made", () => {
    assert.notMatch(JSON.stringify(document), /x-effect|effect\/|Encoded"/)
  })
})
