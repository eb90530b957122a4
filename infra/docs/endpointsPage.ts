/** docs/endpoints.md: every operation of the HTTP interface, from its OpenAPI document and the contract's access rules. */
import { accessOf } from "./access.ts"
import { MADE, table } from "./markdown.ts"
import { anchorOf, bodyOf, groupHead, groups } from "./operations.ts"

const HEAD = `# Endpoints

${MADE}

Every operation of the HTTP interface, with the [scope](http.md#scopes) that it asks for and the kinds of callers that it serves. What
each takes and answers stands in the [reference](reference.md), and to click through at \`/docs\` of a running API; \`/openapi.json\` is the
document that this page is made from.
`

/** The page. */
export const endpointsPage = (): string => {
  const lines = groups.flatMap(([group, operations]) => {
    const rows = operations.map(({ name, operation }) => {
      const { callers, scope } = accessOf(operation)
      return [
        `[\`${name}\`](reference.md#${anchorOf(name)})`,
        operation.summary ?? operation.operationId,
        scope,
        callers,
        bodyOf(operation),
        Object.keys(operation.responses).sort().join(", ")
      ]
    })
    return [
      ...groupHead(group),
      ...table(["Operation", "What it does", "Scope", "Callers", "Body up to", "Statuses"], rows)
    ]
  })
  return `${[HEAD, ...lines].join("\n").trimEnd()}\n`
}
