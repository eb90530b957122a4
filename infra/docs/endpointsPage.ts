/** docs/endpoints.md: every operation of the HTTP interface, from its OpenAPI document and the contract's access rules. */
import { accessOf } from "./access.ts"
import { MADE, table } from "./markdown.ts"
import { groupDescription, type Operation, operations } from "./openApi.ts"

const HEAD = `# Endpoints

${MADE}

Every operation of the HTTP interface, with the [scope](http.md#scopes) that it asks for and the kinds of callers that it serves. What
each takes and answers stands in [HTTP](http.md), and to click through at \`/docs\` of a running API; \`/openapi.json\` is the document that
this page is made from.
`

/** The anchor of the operation's heading in http.md, which names it by method and path. */
const anchorOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-")

const bodyOf = ({ requestBody }: Operation): string => {
  const bytes = requestBody?.["x-max-bytes"]
  return bytes === undefined ? "" : bytes < 1024 ** 2 ? `${bytes / 1024} KiB` : `${bytes / 1024 ** 2} MiB`
}

/** The page. */
export const endpointsPage = (): string => {
  const groupOf = ({ tags }: Operation) => tags?.[0] ?? "Others"
  const groups = [...new Set(operations.map(({ operation }) => groupOf(operation)))]
  const lines = groups.flatMap((group) => {
    const description = groupDescription(group)
    const rows = operations
      .filter(({ operation }) => groupOf(operation) === group)
      .map(({ name, operation }) => {
        const { callers, scope } = accessOf(name)
        return [
          `[\`${name}\`](http.md#${anchorOf(name)})`,
          operation.summary ?? operation.operationId,
          scope,
          callers,
          bodyOf(operation),
          Object.keys(operation.responses).sort().join(", ")
        ]
      })
    return [
      `## ${group}`,
      "",
      ...(description === undefined ? [] : [`${description}.`, ""]),
      ...table(["Operation", "What it does", "Scope", "Callers", "Body up to", "Statuses"], rows)
    ]
  })
  return `${[HEAD, ...lines].join("\n").trimEnd()}\n`
}
