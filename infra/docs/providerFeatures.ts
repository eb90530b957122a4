/** The table of what is served at which provider, from the rows that the suite of the models proves. */
import { FEATURES, SUBJECTS } from "../../packages/models/test/chat/features/table.ts"
import { table } from "./markdown.ts"

/** A provider, and the family of its models where there are several. */
const headOf = (subject: (typeof SUBJECTS)[number]): string => {
  const [provider, family] = subject.split(", ")
  return `\`${provider}\`${family === undefined ? "" : ` ${family}`}`
}

/** A row for each feature. */
export const providerFeatures = (): ReadonlyArray<string> =>
  table(
    ["", ...SUBJECTS.map(headOf)],
    Object.values(FEATURES).map(({ cells, title }) => [title, ...SUBJECTS.map((subject) => cells[subject])])
  )
