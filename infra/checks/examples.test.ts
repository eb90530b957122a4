/** The TypeScript that README.md, docs and the packages' pages show names what there is. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { closures } from "../docs/packagesTogether.ts"
import { TOP_FOLDER } from "./repository.ts"

const page = (path: string): string => readFileSync(join(TOP_FOLDER, path), "utf8")

const pages = [
  "README.md",
  ...readdirSync(join(TOP_FOLDER, "docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => join("docs", path)),
  ...readdirSync(join(TOP_FOLDER, "packages")).map((name) => join("packages", name, "README.md"))
].filter((path) => existsSync(join(TOP_FOLDER, path)))

/** The imports of the examples from packages of this repository. Types are left out, since they leave no trace at run time. */
const imports = pages.flatMap((path) =>
  [...page(path).matchAll(/^```ts\n(.*?)^```/gms)].flatMap(([, code = ""]) =>
    [...code.matchAll(/^import \{([^}]*)\} from "(@agent-platform\/[^"]+)"/gm)].map(([, names = "", from = ""]) => ({
      path,
      from,
      names: names
        .split(",")
        .map((name) => name.trim().replace(/ as .*/, ""))
        .filter((name) => name !== "" && !name.startsWith("type "))
    }))
  )
)

describe("an example of a page", () => {
  it("is found: there are some", () => assert.isAtLeast(imports.length, 20))

  for (const { from, names, path } of imports) {
    it(`imports what there is: ${names.join(", ")} of ${from}, in ${path}`, async () => {
      const module = await import(from)
      for (const name of names) assert.property(module, name)
    })
  }
})

/** Suites for adapters need vitest, which a service that only tries an example has not got. */
describe("an example of a package's page that is run as it stands", () => {
  const examples = readdirSync(join(TOP_FOLDER, "packages"))
    .map((name) => join("packages", name, "test/example.ts"))
    .filter((path) => existsSync(join(TOP_FOLDER, path)))

  it("is found: there are some", () => assert.isAtLeast(examples.length, 4))

  for (const path of examples) {
    it(`wants nothing of a suite for adapters: ${path}`, () => assert.notMatch(page(path), /\/testing"/))
  }
})

describe("a command of a page that installs archives", () => {
  const commands = pages.flatMap((path) =>
    [...page(path).matchAll(/^npm install .*agent-platform-\{([^}]*)\}/gm)].map(([, names = ""]) => ({
      path,
      names: names.split(",").map((name) => `@agent-platform/${name}`)
    }))
  )

  it("is found: there are some", () => assert.isAtLeast(commands.length, 3))

  for (const { names, path } of commands) {
    it(`names all that they ask for, in ${path}`, () => {
      for (const name of names) assert.includeMembers(names, [...(closures().get(name) ?? [])], name)
    })
  }
})
