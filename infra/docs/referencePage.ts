/** docs/reference.md: what every operation takes and answers, and every problem, from the OpenAPI document and the contract. */
import { PROBLEMS } from "@agent-platform/contract"
import { answers, takes, takesIdempotencyKey } from "./fields.ts"
import { MADE, table } from "./markdown.ts"
import type { Addressed } from "./openApi.ts"
import { bodyOf, groupHead, groups } from "./operations.ts"

const HEAD = `# Reference

${MADE}

What every operation takes and answers. \`npm run docs\` makes this page from \`packages/contract/openapi.json\`, which is made from the
contract in \`packages/contract/src/v1\`, so a field's meaning is its description there. A running API serves the same document at
\`/openapi.json\`, and with examples at \`/docs\`. Conventions and guides: [HTTP](http.md). All statuses in one place:
[endpoints](endpoints.md).

\`items[].id\` is the member \`id\` of each item. The headers
\`X-Workspace-Id\`, \`X-CSRF-Token\` and \`X-Request-Id\` are taken as [HTTP](http.md#authentication) says.
`

const operationLines = (one: Addressed): ReadonlyArray<string> => {
  const { name, operation } = one
  const body = bodyOf(operation)
  const facts = [
    ...(body === "" ? [] : [`Body up to ${body}.`]),
    ...(takesIdempotencyKey(one) ? ["Takes an [idempotency key](http.md#idempotency-keys)."] : [])
  ]
  return [
    `### ${name}`,
    "",
    `**${operation.summary ?? operation.operationId}** ${operation.description ?? ""}`.trim(),
    "",
    ...(facts.length === 0 ? [] : [facts.join(" "), ""]),
    ...takes(one),
    ...answers(one)
  ]
}

const problems = (): ReadonlyArray<string> =>
  table(
    ["Status", "Code", "Retryable", "Meaning"],
    Object.entries(PROBLEMS)
      .sort(([, one], [, other]) => one.status - other.status)
      .map(([code, kind]) => [`${kind.status}`, `\`${code}\``, "retryable" in kind ? "yes" : "no", kind.explanation])
  )

/** The page. */
export const referencePage = (): string => {
  const lines = groups.flatMap(([group, operations]) => [...groupHead(group), ...operations.flatMap(operationLines)])
  const codes = ["## Problems", "", "Every code that an [error](http.md#errors) can have.", "", ...problems()]
  return `${[HEAD, ...lines, ...codes].join("\n").trimEnd()}\n`
}
