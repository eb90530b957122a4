import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startTestPostgres } from "../../local/testDatabase.ts"
import type { PackedPackage } from "../packPackages.ts"
import { examples } from "./examples.ts"
import { matrix } from "./matrix.ts"

/** Runs the install matrix, a line for each check, and answers how many failed. `keep` leaves the hosts for a look. */
export const runMatrix = async (
  root: string,
  packed: ReadonlyArray<PackedPackage>,
  { keep }: { readonly keep: boolean }
): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), "agent-platform-install-"))
  const given = process.env["TEST_DATABASE_URL"]
  const postgres = given ? { url: given, stop: async () => undefined } : await startTestPostgres()
  let failed = 0
  try {
    for (const check of [...matrix(root, packed, folder), ...examples(root, packed, folder, postgres.url)]) {
      const start = performance.now()
      const [isGood, said] = await check.run().then(
        (text) => [true, text] as const,
        (error: unknown) => [false, error instanceof Error ? error.message : String(error)] as const
      )
      if (!isGood) failed++
      const seconds = ((performance.now() - start) / 1000).toFixed(1)
      process.stdout.write(
        `${isGood ? "ok    " : "FAILED"}  ${check.name} (${seconds} s)${said === "" ? "" : `: ${said}`}\n`
      )
    }
  } finally {
    await postgres.stop()
    if (keep) process.stdout.write(`the hosts are in ${folder}\n`)
    else rmSync(folder, { recursive: true, force: true })
  }
  return failed
}
