/** The document's examples are what they are examples of. */
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { OpenApi } from "effect/http-api"
import { Api, PROBLEMS } from "../src/index.ts"

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Readonly<Record<string, unknown>> }>>
}

interface Operation {
  readonly description?: string
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

type Schema = Readonly<Record<string, unknown>> & { readonly examples?: ReadonlyArray<Record<string, unknown>> }

const document = JSON.parse(JSON.stringify(OpenApi.fromApi(Api))) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}
const { schemas } = document.components
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation }))
)

const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema(
  JSON.parse(JSON.stringify({ $id: "components", $defs: schemas }).replaceAll("#/components/schemas/", "#/$defs/"))
)
const validatorOf = (name: string) => ajv.compile({ $ref: `components#/$defs/${name}` })

/** The components that a body or an answer of JSON is, any of them. */
const componentsOf = ({ content = {} }: Content): ReadonlyArray<string> =>
  Object.entries(content)
    .filter(([type]) => type.endsWith("json"))
    .flatMap(([, { schema }]) =>
      [...JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = ""]) => name)
    )

/** The codes that a problem can have. */
const codesOf = (name: string): ReadonlyArray<string> => {
  const { code } = (schemas[name]?.["properties"] ?? {}) as { readonly code?: Schema }
  return [...JSON.stringify(code ?? {}).matchAll(/"(\w+)"/g)]
    .map(([, word = ""]) => word)
    .filter((word) => Object.hasOwn(PROBLEMS, word))
}

describe("every operation of the document", () => {
  it("has a description", () => {
    for (const { name, operation } of operations) assert.isAbove(operation.description?.length ?? 0, 20, name)
  })

  it("has an example of its body and of each of its answers", () => {
    for (const { name, operation } of operations) {
      const bodies = [operation.requestBody ?? {}, ...Object.values(operation.responses)].flatMap(componentsOf)
      for (const body of bodies) assert.isNotEmpty(schemas[body]?.examples, `${name}: ${body}`)
    }
  })
})

describe("a body that stands in its operation", () => {
  it("has its example there, unless anything may be sent", () => {
    for (const { name, operation } of operations) {
      for (const { schema } of Object.values(operation.requestBody?.content ?? {})) {
        if (schema["properties"] !== undefined) assert.isNotEmpty(schema["examples"], name)
      }
    }
  })
})

describe("every example of the document", () => {
  it("fits its schema", () => {
    for (const [name, { examples = [] }] of Object.entries(schemas)) {
      const validate = validatorOf(name)
      for (const example of examples) {
        assert.isTrue(
          validate(example),
          `${name}: ${JSON.stringify(validate.errors?.[0])} in ${JSON.stringify(example)}`
        )
      }
    }
  })

  it("of a problem is one of each code that the answer can have", () => {
    const shown = Object.values(schemas)
      .flatMap(({ examples = [] }) => examples)
      .flatMap(({ code, request_id }) => (request_id === undefined ? [] : [String(code)]))
      .filter((code) => Object.hasOwn(PROBLEMS, code))
    const listed = new Set(
      operations.flatMap(({ operation }) =>
        Object.entries(operation.responses).flatMap(([status, answer]) =>
          Number(status) < 400 ? [] : componentsOf(answer)
        )
      )
    )
    const expected = [...listed].flatMap(codesOf)
    assert.sameMembers(shown, expected)
  })
})
