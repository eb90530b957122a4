/** Holds the pictures of the documentation: each is there in light and dark, small, and shown. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, it } from "vitest"
import { PICTURE_BYTES_MAX, PICTURES } from "./pictureFiles.ts"

it("every picture of the documentation is there in light and dark, small, and shown", () => {
  const files = readdirSync(PICTURES)
  const page = readFileSync(fileURLToPath(new URL("../../../docs/dashboard.md", import.meta.url)), "utf8")
  const shown = [...page.matchAll(/pictures\/([\w-]+\.png)/g)].map(([, name = ""]) => name)
  assert.sameMembers(files, [...new Set(shown)])
  for (const name of files) {
    assert.isAtMost(statSync(join(PICTURES, name)).size, PICTURE_BYTES_MAX, name)
    const other = name.includes("-light") ? name.replace("-light", "-dark") : name.replace("-dark", "-light")
    assert.include(files, other)
  }
})
