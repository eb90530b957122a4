/** Compresses a built page once, as small as it gets, so that no request has to. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"

/** Fonts are compressed in themselves. */
const COMPRESSED = /\.(?:html|js|css|svg)$/

/** Writes the forms `.br` and `.gz` beside every file of text. */
export const compress = (folder: string): void => {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!COMPRESSED.test(name)) continue
    const bytes = readFileSync(join(folder, name))
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength }
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params }))
    writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }))
  }
}
