/** Builds the page into `dist/page`, unless the one that lies there was made of the same sources. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build } from "vite"
import { compress } from "./compress.ts"
import { HOME, isBuilt, MARK, PAGE, sourcesHash } from "./state.ts"

const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true })

/** Puts the finished page into its place. A server never finds half of one: it reads all files at once. */
const place = (made: string): void => {
  const old = `${made}-old`
  if (existsSync(PAGE)) renameSync(PAGE, old)
  try {
    renameSync(made, PAGE)
  } catch (error) {
    // Another build of the same sources was faster.
    if (!existsSync(PAGE)) throw error
  }
  remove(old)
  remove(made)
}

// Tests build the page, too, and vitest sets NODE_ENV to `test`: with that, the page would get React's slower form for development.
process.env.NODE_ENV = "production"

const hash = sourcesHash()
if (!isBuilt(hash)) {
  const made = join(HOME, "dist", `making-${process.pid}`)
  mkdirSync(join(HOME, "dist"), { recursive: true })
  await build({
    configFile: join(HOME, "vite.config.ts"),
    logLevel: "warn",
    build: { outDir: made, emptyOutDir: true }
  })
  compress(made)
  writeFileSync(join(made, MARK), hash)
  place(made)
}
