import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startEmbeddedPostgres } from "../local/EmbeddedPostgres.ts"

/** A Postgres that keeps its data and restarts when it is killed, in a folder of its own; `stop` removes both. */
export const startOwnPostgres = async () => {
  const home = mkdtempSync(join(tmpdir(), "agent-platform-own-"))
  // The user that root's Postgres runs as has to pass through.
  chmodSync(home, 0o711)
  const postgres = await startEmbeddedPostgres({ dataDir: home, say: () => undefined })
  return {
    url: postgres.url,
    pid: postgres.pid,
    stop: async () => {
      await postgres.stop("immediate")
      rmSync(home, { recursive: true, force: true })
    }
  }
}
