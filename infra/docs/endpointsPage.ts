/** docs/endpoints.md: every operation of the HTTP interface, from its OpenAPI document. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { MADE, table } from "./markdown.ts"

interface Operation {
  readonly tags?: ReadonlyArray<string>
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly requestBody?: { readonly "x-max-bytes"?: number }
  readonly responses: Readonly<Record<string, unknown>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly tags?: ReadonlyArray<{ readonly name: string; readonly description?: string }>
}

const METHODS: ReadonlyArray<string> = ["get", "post", "put", "patch", "delete", "head", "options"]

const HEAD = `# Endpoints

${MADE}

Every operation of the HTTP interface. What each takes and answers stands in [HTTP](http.md), and to click through at \`/docs\` of
a running API; \`/openapi.json\` is the document that this page is made from.
`

const document = (): Document =>
  JSON.parse(readFileSync(fileURLToPath(new URL("../../packages/contract/openapi.json", import.meta.url)), "utf8"))

/** The anchor of the operation's heading in http.md, which names it by method and path. */
const anchorOf = (method: string, path: string): string =>
  `${method.toUpperCase()} ${path}`
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-")

const bodyOf = ({ requestBody }: Operation): string => {
  const bytes = requestBody?.["x-max-bytes"]
  return bytes === undefined ? "" : bytes < 1024 ** 2 ? `${bytes / 1024} KiB` : `${bytes / 1024 ** 2} MiB`
}

/** The page. */
export const endpointsPage = (): string => {
  const { paths, tags = [] } = document()
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const operation = methods[method]
      return operation === undefined ? [] : [{ method, path, operation }]
    })
  )
  const groups = [...new Set(operations.map(({ operation }) => operation.tags?.[0] ?? "Others"))]
  const lines = groups.flatMap((group) => {
    const description = tags.find(({ name }) => name === group)?.description
    const rows = operations
      .filter(({ operation }) => (operation.tags?.[0] ?? "Others") === group)
      .map(({ method, operation, path }) => [
        `[\`${method.toUpperCase()} ${path}\`](http.md#${anchorOf(method, path)})`,
        operation.summary ?? operation.operationId,
        bodyOf(operation),
        Object.keys(operation.responses).sort().join(", ")
      ])
    return [
      `## ${group}`,
      "",
      ...(description === undefined ? [] : [`${description}.`, ""]),
      ...table(["Operation", "What it does", "Body up to", "Statuses"], rows)
    ]
  })
  return `${[HEAD, ...lines].join("\n").trimEnd()}\n`
}
