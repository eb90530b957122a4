/** `npm run docs`: writes the pages that are made from the code. */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { pages } from "./pages.ts"

for (const [path, text] of Object.entries(await Effect.runPromise(pages))) {
  writeFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), text)
  process.stdout.write(`${path}\n`)
}
