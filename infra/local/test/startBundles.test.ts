/** The few files that npm start makes of its apps. */
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "vitest"
import { bundled } from "../startBundles.ts"
import { temporaryFolder } from "./stage.ts"

const FOLDERS = ["packages/one/src", "apps/api/src", "apps/worker/src", "apps/admin/src", "infra/local"]

/** A checkout with an app that prints a word of a package, and what is loaded before its go. */
const checkout = (word: string) => {
  const root = temporaryFolder()
  for (const folder of FOLDERS) mkdirSync(join(root, folder), { recursive: true })
  const write = (path: string, text: string) => writeFileSync(join(root, path), text)
  write("package-lock.json", "{}")
  write("packages/one/src/word.ts", `export const word: string = "${word}"; export const place = import.meta.url`)
  write("apps/api/src/main.ts", 'export { place, word } from "../../../packages/one/src/word.ts"')
  write("apps/api/src/layers.ts", 'export { word as warm } from "../../../packages/one/src/word.ts"')
  const app = { name: "API", main: "apps/api/src/main.ts", args: [], flags: [], warmUp: "apps/api/src/layers.ts" }
  return { root, write, parts: { root, environment: {} as NodeJS.ProcessEnv, preparer: app, apps: [app] } }
}

const load = (root: string, path: string | undefined) => import(pathToFileURL(join(root, path ?? "")).href)

describe("the bundles of npm start", () => {
  it("do what the sources do, and read beside them", async () => {
    const { parts, root } = checkout("hello")
    const { apps, environment } = await bundled(parts)
    assert.match(apps[0]?.main ?? "", /^node_modules\/\.cache\//)
    const main = await load(root, apps[0]?.main)
    assert.strictEqual(main.word, "hello")
    assert.strictEqual(main.place, pathToFileURL(join(root, "packages/one/src/word.ts")).href)
    assert.strictEqual((await load(root, apps[0]?.warmUp)).warm, "hello")
    assert.isTrue(environment.NODE_COMPILE_CACHE?.startsWith(join(root, "node_modules/.cache")))
  })

  it("are made once for the same sources, and anew when one has changed; the old ones go", async () => {
    const { parts, root, write } = checkout("one")
    const first = (await bundled(parts)).apps[0]?.main ?? ""
    assert.strictEqual((await bundled(parts)).apps[0]?.main, first)
    write("packages/one/src/word.ts", 'export const word = "two"; export const place = ""')
    const second = (await bundled(parts)).apps[0]?.main ?? ""
    assert.notStrictEqual(second, first)
    assert.strictEqual((await load(root, second)).word, "two")
    assert.isFalse(existsSync(join(root, first)))
    // Of the same length, at another time.
    write("packages/one/src/word.ts", 'export const word = "six"; export const place = ""')
    utimesSync(join(root, "packages/one/src/word.ts"), 1, 1)
    const third = (await bundled(parts)).apps[0]?.main
    assert.strictEqual((await load(root, third)).word, "six")
    assert.lengthOf(readdirSync(join(root, "node_modules/.cache/npm-start")), 1)
  })

  it("are none where recipes of one's own are loaded, and where they cannot be made", async () => {
    const { parts, write } = checkout("hello")
    const own = { ...parts, environment: { RECIPES: "./mine.ts" } }
    assert.strictEqual(await bundled(own), own)
    write("apps/api/src/main.ts", "this is no program (")
    assert.strictEqual(await bundled(parts), parts)
  })
})
