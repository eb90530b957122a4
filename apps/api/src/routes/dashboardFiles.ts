/** The files of the dashboard as its build has left them. */
import { readdir, readFile } from "node:fs/promises"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Context } from "effect"
import { type Coding, tagOf } from "../edge/codings.ts"

/** The folder in which the build leaves the page. */
export const DashboardFolder = Context.Reference<string>("@agent-platform/api/DashboardFolder", {
  defaultValue: () => fileURLToPath(new URL("../../../dashboard/dist/page", import.meta.url))
})

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2"
}

/** A file in each of its forms; the build makes those that are shorter. */
export interface DashboardFile {
  readonly contentType: string
  readonly etag: string
  readonly bodies: Readonly<Record<Coding, Uint8Array>>
}

/** A whole page, so that its parts are always of one build. */
export interface DashboardFiles {
  readonly index: DashboardFile
  readonly assets: ReadonlyMap<string, DashboardFile>
}

const readForms = async (folder: string, name: string): Promise<DashboardFile> => {
  const path = join(folder, name)
  const identity = await readFile(path)
  const form = (end: string) => readFile(`${path}${end}`).catch(() => identity)
  const [br, gzip] = await Promise.all([form(".br"), form(".gz")])
  const contentType = TYPES[extname(name)] ?? "application/octet-stream"
  return { contentType, etag: tagOf(identity), bodies: { br, gzip, identity } }
}

/** Reads a built page into memory, about 2 MB; undefined where none was built. */
export const readDashboard = async (folder: string): Promise<DashboardFiles | undefined> => {
  try {
    const names = await readdir(join(folder, "assets"))
    const originals = names.filter((name) => !/\.(?:br|gz)$/.test(name))
    const files = await Promise.all(
      originals.map(async (name) => [name, await readForms(join(folder, "assets"), name)] as const)
    )
    return { index: await readForms(folder, "index.html"), assets: new Map(files) }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    throw error
  }
}
