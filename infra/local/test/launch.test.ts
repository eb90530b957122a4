/** Where what npm runs stands. */
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, it } from "vitest"
import { temporaryFolder } from "./stage.ts"

const ROOT = fileURLToPath(new URL("../../../", import.meta.url))

it("an app finds files where npm was called, though npm runs it in the checkout", () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, "export.ndjson"), "")
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, "infra/local/launch.mjs"), "app", "admin", "activity", "verify", "export.ndjson"],
    { cwd: ROOT, env: { ...process.env, INIT_CWD: folder }, encoding: "utf8" }
  )
  assert.deepStrictEqual([status, stderr], [3, "admin: The files hold no page of an export\n"])
})
