/** Packages as they are in a web application: by both bundlers that most use, minified, for browsers. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build as esbuild } from "esbuild"
import { build as vite } from "vite"

/** How large the client and the receiver kit may be each, minified and compressed. */
export const BUNDLE_BYTES_MAX = 5120

/** A bundle as one script that leaves what was imported in the global variable `bundled`. */
export interface Bundle {
  readonly by: "esbuild" | "vite"
  readonly code: string
  /** Its size in bytes after gzip. */
  readonly bytes: number
}

const bundle = (by: Bundle["by"], code: string): Bundle => ({ by, code, bytes: gzipSync(code, { level: 9 }).length })

const byEsbuild = async (entry: string): Promise<Bundle> => {
  const { outputFiles } = await esbuild({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    write: false,
    logLevel: "silent"
  })
  return bundle("esbuild", outputFiles.map(({ text }) => text).join(""))
}

const byVite = async (root: string, entry: string): Promise<Bundle> => {
  const built = await vite({
    root,
    configFile: false,
    logLevel: "silent",
    build: { write: false, minify: true, target: "es2022", lib: { entry, formats: ["iife"], name: "unused" } }
  })
  const chunks = (Array.isArray(built) ? built : [built]).flatMap((one) => ("output" in one ? one.output : []))
  return bundle("vite", chunks.flatMap((chunk) => (chunk.type === "chunk" ? [chunk.code] : [])).join(""))
}

/** Bundles an application that imports `name` from `specifier`, as if it stood in this folder. */
export const bundlesOf = async (folder: string, name: string, specifier: string): Promise<ReadonlyArray<Bundle>> => {
  const place = mkdtempSync(join(folder, ".bundle-"))
  try {
    const entry = join(place, "entry.ts")
    writeFileSync(entry, `import { ${name} } from "${specifier}"\nObject.assign(globalThis, { bundled: ${name} })\n`)
    return [await byEsbuild(entry), await byVite(place, entry)]
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}
