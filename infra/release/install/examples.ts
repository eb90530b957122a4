/** The services of `docs/examples`, installed from the archives and run as they stand there, each over a database of its own. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import pg from "pg"
import { runCommand } from "../../local/suite/runCommand.ts"
import { npm } from "../npm.ts"
import type { PackedPackage } from "../packPackages.ts"
import type { Check } from "./matrix.ts"

const FOLDER = join("docs", "examples")

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
}

/** A database that is there for one example alone. */
const freshDatabase = async (postgresUrl: string, name: string): Promise<string> => {
  const client = new pg.Client({ connectionString: postgresUrl })
  await client.connect()
  const database = `example_${name.replaceAll("-", "_")}_${process.pid}`
  try {
    await client.query(`create database ${database}`)
  } finally {
    await client.end()
  }
  const url = new URL(postgresUrl)
  url.pathname = `/${database}`
  return url.href
}

/** A check for each example. Its manifest stays as it is, but that ours come from their archives. */
export const examples = (
  root: string,
  packed: ReadonlyArray<PackedPackage>,
  folder: string,
  postgresUrl: string
): ReadonlyArray<Check> =>
  readdirSync(join(root, FOLDER), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({
      name: `the example ${name} installs and passes its test`,
      run: async () => {
        const place = join(folder, "examples", name)
        cpSync(join(root, FOLDER, name), place, { recursive: true, filter: (path) => !path.includes("node_modules") })
        const path = join(place, "package.json")
        const manifest = JSON.parse(readFileSync(path, "utf8")) as Manifest
        const ours = Object.fromEntries(packed.map((one) => [one.name, `file:${one.tarball}`]))
        writeFileSync(path, JSON.stringify({ ...manifest, dependencies: { ...manifest.dependencies, ...ours } }))
        await npm(place, ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
        const env = {
          ...process.env,
          NO_COLOR: "1",
          DATABASE_URL: await freshDatabase(postgresUrl, name),
          PATH: [dirname(process.execPath), join(root, "node_modules", ".bin"), process.env["PATH"]].join(delimiter)
        }
        const { exitCode, output } = await runCommand("npm", ["test"], { cwd: place, env })
        if (exitCode !== 0) throw new Error(`npm test ended with ${exitCode}:\n${output}`)
        return ""
      }
    }))
