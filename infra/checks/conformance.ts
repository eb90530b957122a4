/** Reads docs/conformance.md, and says which of the tests that it names are not there. */
import { dirname, join } from "node:path/posix"

/** A test: its file from the top folder on, and its title. */
interface NamedTest {
  readonly path: string
  readonly title: string
}

/** A rule, and the tests that hold the platform to it. A test that is not written as a link and a title stays the text it is. */
export interface Conformance {
  readonly rule: string
  readonly tests: ReadonlyArray<NamedTest | string>
}

const TEST = /^\[[^\]]+\]\(([^)]+)\): (.+)$/

/** The rules of the page at this path. */
export const conformancesOf = (path: string, page: string): ReadonlyArray<Conformance> =>
  [...page.matchAll(/^\| (.+) \| (.*) \|$/gm)]
    .filter(([, rule]) => rule !== "Rule" && rule !== "---")
    .map(([, rule = "", cell = ""]) => ({
      rule,
      tests: (cell.trim() === "" ? [] : cell.split("<br>")).map((one) => {
        const [, file, title] = TEST.exec(one.trim()) ?? []
        return file === undefined || title === undefined ? one : { path: join(dirname(path), file), title }
      })
    }))

/** The faults of rules: none is without a test, each is written as a link and a title, and is in its file by its title. */
export const conformanceFaults = (
  rules: ReadonlyArray<Conformance>,
  textOf: (path: string) => string | undefined
): ReadonlyArray<string> =>
  rules.flatMap(({ rule, tests }) =>
    tests.length === 0
      ? [`'${rule}' names no test`]
      : tests.flatMap((test) => {
          if (typeof test === "string") return [`'${rule}': '${test}' is not a link to a file and a title`]
          const { path, title } = test
          const text = textOf(path)
          if (text === undefined) return [`'${rule}': there is no file ${path}`]
          const isThere = text.includes(`"${title}"`) || text.includes(`\`${title}\``)
          return isThere ? [] : [`'${rule}': ${path} has no test '${title}'`]
        })
  )
