/** The uses that a stranger makes of the packages, each as a check by itself. */
import { cpSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { BUNDLE_BYTES_MAX, bundlesOf } from "../bundles.ts"
import type { PackedPackage } from "../packPackages.ts"
import { run } from "./command.ts"
import { copiesOf, installedIn, makeHost, makePackageHost, nextPatchOf } from "./hosts.ts"
import { writePrograms } from "./programs.ts"

/** Versions that this repository does not use itself: of the oldest major version of Node, and of TypeScript before the present one. */
const NODE_LOWEST = "22.23.3"
const TYPESCRIPT_BEFORE = "5.9.3"

/** The packages that come without any other. */
const STANDALONE: ReadonlyArray<string> = ["@agent-platform/client", "@agent-platform/receiver"]

/** One check: it answers what there is to say of it, and fails with the reason. */
export interface Check {
  readonly name: string
  readonly run: () => Promise<string>
}

interface Pinned {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

const expectEqual = (found: unknown, expected: unknown, text: string): void => {
  if (JSON.stringify(found) !== JSON.stringify(expected)) throw new Error(`${text}: ${JSON.stringify(found)}`)
}

/** The checks, in order, over packed packages and a folder of their own outside of the repository. Later ones need the hosts of earlier ones. */
export const matrix = (root: string, packed: ReadonlyArray<PackedPackage>, folder: string): ReadonlyArray<Check> => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Pinned
  const pin = (name: string): string => {
    const version = devDependencies[name] ?? dependencies[name]
    if (version === undefined) throw new Error(`package.json does not pin ${name}`)
    return version
  }
  const effect = JSON.parse(readFileSync(join(root, "node_modules", "effect", "package.json"), "utf8"))
    .version as string
  // Two hosts, one of the packages that come alone and one of all packages; and the runtimes and compilers that both are tried with.
  const alone = join(folder, "alone")
  const whole = join(folder, "whole")
  const tools = join(folder, "tools")
  const standalone = packed.filter(({ name }) => STANDALONE.includes(name))
  const entryPoints = packed.flatMap((one) => one.entryPoints)

  const runtimes = [
    [`Node ${NODE_LOWEST}`, join(tools, "node_modules", "node", "bin", "node"), []],
    [`Node ${process.versions.node}`, process.execPath, []],
    [
      `Deno ${pin("deno")}`,
      join(root, "node_modules", ".bin", "deno"),
      ["run", "-A", "--no-lock", "--node-modules-dir=manual"]
    ]
  ] as const
  const compilers = [
    [TYPESCRIPT_BEFORE, "typescript-before"],
    [pin("typescript"), "typescript"]
  ] as const

  const install: ReadonlyArray<Check> = [
    {
      name: "the tools of the matrix install",
      run: async () => {
        const typescript = { "typescript-before": `npm:typescript@${TYPESCRIPT_BEFORE}`, typescript: pin("typescript") }
        await makeHost(tools, { node: NODE_LOWEST, ...typescript }, ["node"])
        return ""
      }
    },
    {
      name: "client and receiver install, and bring nothing",
      run: async () => {
        await makePackageHost(alone, standalone)
        writePrograms(
          alone,
          standalone.flatMap((one) => one.entryPoints)
        )
        expectEqual(
          installedIn(alone),
          STANDALONE.map((name) => `node_modules/${name}`),
          "Installed"
        )
        return ""
      }
    },
    {
      name: "all packages install beside another patch of effect, of which there is one copy",
      run: async () => {
        const other = await nextPatchOf(join(folder, "patch"), "effect", effect)
        await makePackageHost(whole, packed, {
          effect: `file:${other.file}`,
          vitest: pin("vitest"),
          "@effect/vitest": pin("@effect/vitest")
        })
        writePrograms(whole, entryPoints, ["node"])
        expectEqual(copiesOf(whole, "effect"), [join("effect", "package.json")], "Copies of effect")
        await run(whole, "npm", "ls", "effect", "--all")
        return `effect ${other.version}, made for ${effect}`
      }
    }
  ]
  const imports = [alone, whole].flatMap((host) =>
    runtimes.map(([name, program, args]) => ({
      name: `every entry point imports on ${name} (${host === alone ? "alone" : "whole"})`,
      run: () => run(host, program, ...args, "importing.mjs")
    }))
  )
  const types = [alone, whole].flatMap((host) =>
    compilers.map(([version, place]) => ({
      name: `a strict host compiles with TypeScript ${version} (${host === alone ? "alone" : "whole"})`,
      run: () => run(host, process.execPath, join(tools, "node_modules", place, "bin", "tsc"), "-p", ".")
    }))
  )
  const bundles = [
    ["createClient", "@agent-platform/client"],
    ["verify", "@agent-platform/receiver"]
  ].map(([name = "", specifier = ""]) => ({
    name: `${specifier} is bundled in ${BUNDLE_BYTES_MAX} bytes`,
    run: async () => {
      const made = await bundlesOf(alone, name, specifier)
      const large = made.filter(({ bytes }) => bytes > BUNDLE_BYTES_MAX)
      const said = made.map(({ by, bytes }) => `${by} ${bytes}`).join(", ")
      if (large.length > 0) throw new Error(said)
      return said
    }
  }))
  const suites = {
    name: "the contract suites run in a host's vitest",
    run: async () => {
      await run(whole, process.execPath, join(whole, "node_modules", "vitest", "vitest.mjs"), "run")
      return ""
    }
  }
  const jsr = standalone.map(({ folder: staged, name }) => ({
    name: `${name} can be published to JSR`,
    run: async () => {
      // A copy of its own: inside of the checkout the folder would be ignored, as git ignores it.
      const place = join(folder, "jsr", name)
      cpSync(staged, place, { recursive: true })
      await run(place, join(root, "node_modules", ".bin", "deno"), "publish", "--dry-run", "--allow-dirty")
      return ""
    }
  }))
  return [...install, ...imports, ...types, ...bundles, suites, ...jsr]
}
