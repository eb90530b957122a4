/** `npm run test:install [-- --keep]`: packs every public package and uses them as strangers do, outside of this repository. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { runMatrix } from "./install/runMatrix.ts"
import { packPackages } from "./packPackages.ts"

const { keep } = parseArgs({ options: { keep: { type: "boolean", default: false } } }).values
const root = fileURLToPath(new URL("../../", import.meta.url))
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const packed = await packPackages(root, join(root, "dist", "packages"), version)
const failed = await runMatrix(root, packed, { keep })
process.exit(failed === 0 ? 0 : 1)
