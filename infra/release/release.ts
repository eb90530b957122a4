/**
 * `npm run release -- [--dry-run] [--version 1.2.3] [--skip-install]`: everything that a release uploads, below `dist/release`, and the
 * install matrix over it. Without --dry-run the checkout says the new version, too: commit and tag that, and upload the archives.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { billOfMaterials, checksums } from "./artifacts.ts"
import { changelogAt } from "./changelog.ts"
import { run } from "./install/command.ts"
import { runMatrix } from "./install/runMatrix.ts"
import { npm } from "./npm.ts"
import { packPackages } from "./packPackages.ts"
import { checkVersion, filesAt } from "./versions.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const out = join(root, "dist", "release")
const say = (line: string) => process.stdout.write(`${line}\n`)

const { values } = parseArgs({
  options: {
    "dry-run": { type: "boolean", default: false },
    "skip-install": { type: "boolean", default: false },
    version: { type: "string" }
  }
})
const isDry = values["dry-run"]
const current: string = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version
const version = values.version ?? current
checkVersion(version, current)

const day = new Date().toISOString().slice(0, 10)
const changelog = changelogAt(readFileSync(join(root, "docs", "changelog.md"), "utf8"), version, day)
const files = { ...filesAt(root, current, version), "docs/changelog.md": changelog }
if (!isDry) {
  const changed = await run(root, "git", "status", "--porcelain")
  if (changed !== "") throw new Error(`Commit or undo what has changed first:\n${changed}`)
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text)
  await npm(root, ["install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"])
  await run(root, process.execPath, join(root, "infra", "docs", "write.ts"))
  say(`the checkout says ${version}, in ${Object.keys(files).length} files and what is made from them`)
}

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
const packed = await packPackages(root, join(root, "dist", "packages"), version)
for (const { tarball } of packed) copyFileSync(tarball, join(out, basename(tarball)))
writeFileSync(join(out, "changelog.md"), changelog)
writeFileSync(join(out, "sbom.cdx.json"), await billOfMaterials(root, isDry ? current : version, version))
writeFileSync(join(out, "SHA256SUMS"), checksums(out))
say(`${packed.length} packages at ${version}, changelog.md, sbom.cdx.json and SHA256SUMS are in dist/release`)

const failed = values["skip-install"] ? 0 : await runMatrix(root, packed, { keep: false })
if (failed > 0) process.exit(1)
say(
  isDry
    ? `nothing was published, and the checkout still says ${current}; ${Object.keys(files).length} files would say ${version}`
    : `commit, tag it v${version}, and upload: for file in dist/release/*.tgz; do npm publish "$file" --access public; done`
)
