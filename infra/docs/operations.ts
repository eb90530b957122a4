/** How the pages speak of operations: their groups, anchors and sizes. */
import { type Addressed, groupDescription, type Operation, operations } from "./openApi.ts"

/** The operations of each group, in the document's order. */
export const groups: ReadonlyArray<readonly [string, ReadonlyArray<Addressed>]> = [
  ...Map.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? "Others")
]

/** The heading of a group, and what the document says of it. */
export const groupHead = (group: string): ReadonlyArray<string> => {
  const description = groupDescription(group)
  return [`## ${group}`, "", ...(description === undefined ? [] : [`${description}.`, ""])]
}

/** Where an operation stands in docs/reference.md, by its name such as `POST /api/v1/runs/`. */
export const anchorOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-")

/** How large the body of an operation may be; empty where it takes none. */
export const bodyOf = ({ requestBody }: Operation): string => {
  const bytes = requestBody?.["x-max-bytes"]
  return bytes === undefined ? "" : bytes < 1024 ** 2 ? `${bytes / 1024} KiB` : `${bytes / 1024 ** 2} MiB`
}
