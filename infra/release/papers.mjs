/**
 * `npm run papers -- <folder>`: writes `sbom.cdx.json`, by npm's own command, and `NOTICE` for what the apps and the page ship.
 * Plain JavaScript without a dependency, since the image's first stage runs it too.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { noticeOf } from "./notice.mjs"
import { pathsIn, shippedOf } from "./shipped.mjs"

const ROOT = fileURLToPath(new URL("../../", import.meta.url))
const WORKSPACES = ["apps/api", "apps/worker", "apps/admin", "apps/dashboard"]

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write("usage: npm run papers -- <folder>\n")
  process.exit(64)
}

const made = spawnSync(
  "npm",
  [
    "sbom",
    "--package-lock-only",
    "--sbom-format=cyclonedx",
    "--sbom-type=application",
    ...WORKSPACES.map((name) => `--workspace=${name}`)
  ],
  { cwd: ROOT, encoding: "utf8", maxBuffer: 64 * 1024 * 1024, shell: process.platform === "win32" }
)
if (made.status !== 0) throw new Error(`npm sbom failed: ${made.stderr}`)
const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"))
const sbom = shippedOf(JSON.parse(made.stdout), lock)
const pathOf = pathsIn(lock)
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, "sbom.cdx.json"), `${JSON.stringify(sbom, null, 2)}\n`)
writeFileSync(
  join(folder, "NOTICE"),
  noticeOf(sbom, (component) => join(ROOT, pathOf(component)))
)
process.stdout.write(`${sbom.components.length} components: ${folder}/sbom.cdx.json and ${folder}/NOTICE\n`)
