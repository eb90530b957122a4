/** Holds the checkout against the table of packages in `packages.ts`. What each check sees is proved in `boundaries.test.ts`. */
import { assert, describe, it } from "@effect/vitest"
import { deniedImports, deniedNames, expandBraces } from "./biome.ts"
import {
  environmentViolations,
  globalViolations,
  importViolations,
  LINES_MAX,
  LINES_WARN,
  longerThan,
  nameViolations,
  sqlViolations,
  tableViolations,
  topLevelViolations
} from "./boundaries.ts"
import { cycles, dependencyViolations, domainViolations, manifestNameViolations } from "./manifests.ts"
import {
  apps,
  biomeGroup,
  deniedGlobals,
  domains,
  entryPoints,
  packageRows,
  pure,
  runtimeGlobals,
  standalone
} from "./packages.ts"
import { readRepository, TOP_FOLDER } from "./repository.ts"

const repository = readRepository(TOP_FOLDER)
const everyPackage = [...repository.packages, ...repository.apps]
const sources = everyPackage.flatMap((one) => one.sources)
const NONE = { libraries: [], packages: [] }
const nothing = (violations: ReadonlyArray<string>) => assert.deepStrictEqual([...violations], [])
const folderName = ({ folder }: { readonly folder: string }) => folder.replace(/^.*\//, "")

describe("the packages", () => {
  it("have a row each, and every row has its package or is planned", () =>
    nothing(tableViolations(repository.packages.map(folderName), repository.apps.map(folderName))))

  it("lie in a repository whose top level holds nothing else", () => nothing(topLevelViolations(repository.topLevel)))

  it("are named after their folders", () => nothing(everyPackage.flatMap(manifestNameViolations)))
})

describe("source files", () => {
  it("import what their package's row admits", () => nothing(sources.flatMap((file) => importViolations(file))))

  it("take neither time nor chance nor network from the air in a pure package", () =>
    nothing(sources.flatMap((file) => globalViolations(file))))

  it("read the environment in an app's config.ts alone", () =>
    nothing(sources.flatMap((file) => environmentViolations(file))))

  it("hold no SQL in an app", () => nothing(sources.flatMap((file) => sqlViolations(file))))

  it("have names that say what is inside", () => nothing(repository.files.flatMap(({ path }) => nameViolations(path))))

  it(`have at most ${LINES_MAX} lines`, () => {
    for (const long of longerThan(LINES_WARN, repository.files)) console.warn(`${long}: due to be split`)
    nothing(longerThan(LINES_MAX, repository.files))
  })
})

describe("manifests", () => {
  it("declare exactly what src imports", () => nothing(everyPackage.flatMap(dependencyViolations)))

  it("of the pure packages list nothing but each other and effect, and open three entry points", () =>
    nothing(repository.packages.flatMap(domainViolations)))

  it("and imports make no cycle among packages", () => nothing(cycles(everyPackage)))
})

// Two locks, one table: Biome shows a wrong import in the editor, so its patterns must say what the table says.
describe("biome.json", () => {
  it("states the row of every package", () => {
    for (const [name, row] of Object.entries(packageRows)) {
      assert.deepStrictEqual(deniedImports(repository.biome, `packages/${name}/src/**`), [biomeGroup(row, ".")], name)
    }
  })

  it("states the row of every entry point", () => {
    for (const name of ["kernel", ...domains]) {
      for (const entryPoint of Object.keys(entryPoints) as Array<keyof typeof entryPoints>) {
        const stated = deniedImports(repository.biome, `packages/${name}/src/${entryPoint}/**`)
        assert.deepStrictEqual(stated, [biomeGroup(packageRows[name] ?? NONE, entryPoint)], `${name}/${entryPoint}`)
      }
    }
  })

  it("denies the packages that stand alone what not every runtime has", () => {
    for (const name of standalone) {
      assert.deepStrictEqual(deniedNames(repository.biome, `packages/${name}/src/**`), [...runtimeGlobals].sort(), name)
    }
  })

  it("names the apps that no app imports", () => {
    const denied = deniedImports(repository.biome, "apps/*/src/**").flat().flatMap(expandBraces)
    for (const app of apps) assert.include(denied, `@agent-platform/${app}`)
  })

  it("denies the pure packages the same globals", () => {
    for (const name of pure) {
      assert.deepStrictEqual(deniedNames(repository.biome, `packages/${name}/src/**`), [...deniedGlobals].sort(), name)
    }
  })
})
