/** `npm run pack`: every public package as it is published, below `dist/packages`, with its archive beside it. */
import { readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { packPackages } from "./packPackages.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
for (const { bytes, files, tarball } of await packPackages(root, join(root, "dist", "packages"), version)) {
  process.stdout.write(`${relative(root, tarball)}  ${files.length} files, ${Math.ceil(bytes / 1024)} kB\n`)
}
