/** The files of packages/client that are made from the OpenAPI document: its types, its calls, and the table it calls by. */
import { comment, declarationOf, membersOf, schemasBehind, typeOf } from "./clientSchemas.ts"
import { type Addressed, type JsonSchema, operations, type Parameter, resolved } from "./openApi.ts"

const MADE = "Made from openapi.json by `npm run docs`."
const JSON_TYPE = "application/json"
const PREFIX = "/api/v1/"

interface Callable extends Addressed {
  readonly group: string
  readonly call: string
  /** The schemas of its answers; none where it answers without a body. */
  readonly answers: ReadonlyArray<JsonSchema>
}

/** The schemas of answers in JSON, none where there is no body; undefined for streams and redirects, for which there is no call. */
const answersOf = ({ operation }: Addressed): ReadonlyArray<JsonSchema> | undefined => {
  const good = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"))
  const schemas = good.flatMap(([, { content }]) => content?.[JSON_TYPE]?.schema ?? [])
  const isEmpty = good.some(([, { content }]) => Object.keys(content ?? {}).length === 0)
  return schemas.length > 0 || isEmpty ? schemas : undefined
}

/** Groups that the client leaves out: agents call them while they execute a run, with a signature or by libraries of model providers. */
const OF_AGENTS: ReadonlySet<string> = new Set(["attempts", "gateway"])

const callables: ReadonlyArray<Callable> = operations.flatMap((one) => {
  const answers = answersOf(one)
  const { operationId: call, "x-group": group } = one.operation
  return answers === undefined || OF_AGENTS.has(group) ? [] : [{ ...one, group, call, answers }]
})

const groups = [...Map.groupBy(callables, ({ group }) => group)]

const capital = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1)

const parametersOf = ({ operation }: Callable, place: string): ReadonlyArray<Parameter> =>
  (operation.parameters ?? []).filter((parameter) => parameter.in === place)

const takes = (one: Callable, place: string, name: string): boolean =>
  parametersOf(one, place).some((parameter) => parameter.name.toLowerCase() === name)

const bodyOf = ({ operation }: Callable): JsonSchema | undefined => operation.requestBody?.content[JSON_TYPE]?.schema

/** The item of a page, where an operation answers pages. */
const itemOf = (one: Callable): JsonSchema | undefined =>
  takes(one, "query", "cursor")
    ? one.answers.flatMap((page) => resolved(page).properties?.["items"]?.items ?? [])[0]
    : undefined

const parameterMembers = (parameters: ReadonlyArray<Parameter>): string =>
  membersOf(
    {
      properties: Object.fromEntries(
        parameters.map(({ description, name, schema }) => [name, { description, ...schema }])
      ),
      required: parameters.flatMap((one) => (one.required === true ? [one.name] : []))
    },
    "    "
  )

const isOptionalBody = (schema: JsonSchema): boolean => {
  const { required = [], type } = resolved(schema)
  return type === "object" && required.length === 0
}

const requestMembers = (one: Callable): string => {
  const path = parametersOf(one, "path")
  const query = parametersOf(one, "query")
  const body = bodyOf(one)
  return [
    path.length > 0 ? `  readonly params: {\n${parameterMembers(path)}  }\n` : "",
    query.length > 0 ? `  readonly query?: {\n${parameterMembers(query)}  } | undefined\n` : "",
    body === undefined
      ? ""
      : `  readonly body${isOptionalBody(body) ? `?: ${typeOf(body, "  ")} | undefined` : `: ${typeOf(body, "  ")}`}\n`
  ].join("")
}

const requestName = (one: Callable): string =>
  requestMembers(one) === "" ? "CallOptions" : `${capital(one.call)}Request`

const requestDeclaration = (one: Callable): string => {
  const members = requestMembers(one)
  return members === ""
    ? ""
    : `/** The request of \`${one.group}.${one.call}\`. */\nexport interface ${requestName(one)} extends CallOptions {\n${members}}\n\n`
}

const argumentOf = (one: Callable): string =>
  `request${/^ {2}readonly \w+:/m.test(requestMembers(one)) ? "" : "?"}: ${requestName(one)}`

const methodOf = (one: Callable): string => {
  const { description, summary } = one.operation
  const answer = [...new Set(one.answers.map((schema) => typeOf(schema, "  ")))].join(" | ") || "undefined"
  const said = [summary, description]
    .flatMap((text) => (text === undefined ? [] : [text.replace(/\.?$/, ".")]))
    .join(" ")
  return `${comment(said, "  ")}  readonly ${one.call}: (${argumentOf(one)}) => Promise<${answer}>\n`
}

const itemsMethodOf = (one: Callable): string => {
  const item = itemOf(one)
  return item === undefined
    ? ""
    : `  readonly ${one.call}: (${argumentOf(one)}) => AsyncIterableIterator<${typeOf(item, "  ")}>\n`
}

const groupsDeclaration = (name: string, names: ReadonlyArray<string>, suffix: string, text: string): string =>
  `/** ${text} */\nexport interface ${name} {\n${names.map((group) => `  readonly ${group}: ${capital(group)}${suffix}\n`).join("")}}\n`

/** All schemas of the calls, and the one that the client's errors have. */
const used = [
  ...callables.flatMap((one) => [bodyOf(one), ...one.answers]),
  { $ref: "#/components/schemas/ProblemIssue" }
]

const schemasFile = (): string =>
  `/** Requests and answers as they are on the wire. ${MADE} */\n\n${schemasBehind(used).map(declarationOf).join("\n")}`

const callsFile = (): string => {
  const paged = groups.filter(([, all]) => all.some((one) => itemOf(one) !== undefined))
  const calls = groups.map(
    ([group, all]) =>
      `/** The calls of \`client.${group}\`. */\nexport interface ${capital(group)}Calls {\n${all.map(methodOf).join("")}}\n\n`
  )
  const items = paged.map(
    ([group, all]) =>
      `/** The lists of \`client.items.${group}\`. */\nexport interface ${capital(group)}Items {\n${all.map(itemsMethodOf).join("")}}\n\n`
  )
  const body =
    callables.map(requestDeclaration).join("") +
    calls.join("") +
    items.join("") +
    groupsDeclaration(
      "Calls",
      groups.map(([group]) => group),
      "Calls",
      "Every operation: `client.runs.triggerRun({ body })`."
    ) +
    "\n" +
    groupsDeclaration(
      "Items",
      paged.map(([group]) => group),
      "Items",
      "Every list, item by item over all of its pages: `client.items.runs.listRuns()`."
    )
  // The schemas that the calls name themselves are imported; a name in a comment is none.
  const names = schemasBehind(used).filter((name) =>
    new RegExp(`(?<![\\w.\`"])${name}(?!\\w)`).test(body.replaceAll(/\/\*\*.*\*\//g, ""))
  )
  return (
    `/** The operations of the interface as calls. ${MADE} */\nimport type { CallOptions } from "../CallOptions.ts"\n` +
    `import type {\n${names.map((name) => `  ${name}`).join(",\n")}\n} from "./schemas.ts"\n\n${body}`
  )
}

const lineOf = (one: Callable): string => {
  if (!one.path.startsWith(PREFIX)) throw new Error(`${one.path} is not of this version`)
  const marks = [
    ...(takes(one, "header", "idempotency-key") ? ["keyed"] : []),
    ...(itemOf(one) === undefined ? [] : ["paged"]),
    ...(bodyOf(one) === undefined ? [] : ["body"])
  ]
  return `    ${one.call}: "${[one.method.toUpperCase(), one.path.slice(PREFIX.length), ...marks].join(" ")}"`
}

const operationsFile = (): string => {
  const rows = groups.map(([group, all]) => `  ${group}: {\n${all.map(lineOf).join(",\n")}\n  }`)
  return (
    "/**\n * Every operation as its method, its address below /api/v1/, and marks: `keyed` where a repetition under the same\n" +
    ` * Idempotency-Key creates nothing twice, \`paged\` where it answers pages, \`body\` where it takes one. ${MADE}\n */\n` +
    `export const OPERATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {\n${rows.join(",\n")}\n}\n`
  )
}

/** The made files of the client, by their place in the repository. */
export const clientFiles = (): Readonly<Record<string, string>> => ({
  "packages/client/src/generated/calls.ts": callsFile(),
  "packages/client/src/generated/operations.ts": operationsFile(),
  "packages/client/src/generated/schemas.ts": schemasFile()
})
