/** `npm run docs`: writes the pages that are made from the code. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { pages } from "./pages.ts"

for (const [path, text] of Object.entries(await Effect.runPromise(pages))) {
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  process.stdout.write(`${path}\n`)
}
