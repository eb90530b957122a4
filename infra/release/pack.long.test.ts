import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { packPackages } from "./packPackages.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const SECONDS_MAX = 600

describe("npm run pack", () => {
  // Only here declarations are made: the checker of types does not say of a type that they cannot name it.
  it("makes an archive of every public package, with declarations that name what is exported alone", {
    timeout: SECONDS_MAX * 1000
  }, async () => {
    const out = mkdtempSync(join(tmpdir(), "agent-platform-packages-"))
    try {
      const packed = await packPackages(root, out, "0.0.0")
      assert.isAbove(packed.length, 15)
      for (const { folder, name, tarball } of packed) {
        assert.isTrue(existsSync(tarball), name)
        const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
        for (const entry of Object.values<{ readonly types?: string } | string>(exports)) {
          if (typeof entry === "object") assert.isTrue(existsSync(join(folder, entry.types ?? "none")), name)
        }
      }
    } finally {
      rmSync(out, { recursive: true, force: true })
    }
  })
})
