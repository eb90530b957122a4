/** Holds the checkout against the rooms table in `rooms.ts`. What each check sees is proved in `walls.test.ts`. */
import { assert, describe, it } from "@effect/vitest"
import { deniedImports, deniedNames, expandBraces } from "./biome.ts"
import { cycles, dependencyViolations, domainViolations, manifestNameViolations } from "./manifests.ts"
import { readRepository, TOP_FOLDER } from "./repository.ts"
import { apps, biomeGroup, deniedGlobals, domains, doors, pure, receiverGlobals, receivers, rooms } from "./rooms.ts"
import {
  environmentViolations,
  globalViolations,
  importViolations,
  LINES_MAX,
  LINES_WARN,
  longerThan,
  nameViolations,
  roomViolations,
  sqlViolations,
  topLevelViolations
} from "./walls.ts"

const repository = readRepository(TOP_FOLDER)
const everyPackage = [...repository.packages, ...repository.apps]
const sources = everyPackage.flatMap((one) => one.sources)
const NONE = { libraries: [], rooms: [] }
const nothing = (violations: ReadonlyArray<string>) => assert.deepStrictEqual([...violations], [])
const folderName = ({ folder }: { readonly folder: string }) => folder.replace(/^.*\//, "")

describe("the rooms", () => {
  it("have a row each, and every row has its room or is planned", () =>
    nothing(roomViolations(repository.packages.map(folderName), repository.apps.map(folderName))))

  it("lie in a repository whose top level holds nothing else", () => nothing(topLevelViolations(repository.topLevel)))

  it("are named after their folders", () => nothing(everyPackage.flatMap(manifestNameViolations)))
})

describe("source files", () => {
  it("import what their room's row admits", () => nothing(sources.flatMap((file) => importViolations(file))))

  it("take neither time nor chance nor network from the air in a pure room", () =>
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

  it("of the pure rooms list nothing but each other and effect, and open three doors and those of receivers", () =>
    nothing(repository.packages.flatMap(domainViolations)))

  it("and imports make no cycle among packages", () => nothing(cycles(everyPackage)))
})

// Two locks, one table: Biome shows a wrong import in the editor, so its patterns must say what the table says.
describe("biome.json", () => {
  it("states the row of every room", () => {
    for (const [room, row] of Object.entries(rooms)) {
      assert.deepStrictEqual(deniedImports(repository.biome, `packages/${room}/src/**`), [biomeGroup(row, ".")], room)
    }
  })

  it("states the row of every door", () => {
    for (const room of ["kernel", ...domains]) {
      for (const door of Object.keys(doors) as Array<keyof typeof doors>) {
        const stated = deniedImports(repository.biome, `packages/${room}/src/${door}/**`)
        assert.deepStrictEqual(stated, [biomeGroup(rooms[room] ?? NONE, door)], `${room}/${door}`)
      }
    }
  })

  it("lets the receiver door import nothing, and take the clock and WebCrypto from the air", () => {
    for (const room of receivers) {
      const glob = `packages/${room}/src/receiver/**`
      assert.deepStrictEqual(deniedImports(repository.biome, glob), [biomeGroup(rooms[room] ?? NONE, "receiver")], room)
      const denied = deniedGlobals.filter((name) => !receiverGlobals.includes(name))
      assert.deepStrictEqual(deniedNames(repository.biome, glob), denied.sort(), room)
    }
  })

  it("names the apps that no app imports", () => {
    const denied = deniedImports(repository.biome, "apps/*/src/**").flat().flatMap(expandBraces)
    for (const app of apps) assert.include(denied, `@agent-platform/${app}`)
  })

  it("denies the pure rooms the same globals", () => {
    for (const room of pure) {
      assert.deepStrictEqual(deniedNames(repository.biome, `packages/${room}/src/**`), [...deniedGlobals].sort(), room)
    }
  })
})
