import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startEmbeddedPostgres } from "../local/EmbeddedPostgres.ts"

/** A Postgres that keeps its data and restarts when it is killed, in a folder of its own; `stop` removes both. */
export const startOwnPostgres = async () => {
  const home = mkdtempSync(join(tmpdir(), "agent-platform-own-"))
  // Started by root, Postgres runs as another user, which has to pass through this folder.
  chmodSync(home, 0o711)
  const start = () => startEmbeddedPostgres({ dataDir: home, say: () => undefined })
  let postgres = await start()
  const { url } = postgres
  return {
    url,
    pid: () => postgres.pid(),
    /** Stops the server, and leaves its data where it is. */
    away: (how: "fast" | "immediate") => postgres.stop(how),
    /** Starts it again, at the same address; fails where that is not to be had any more. */
    back: async () => {
      postgres = await start()
      if (postgres.url !== url) throw new Error(`Postgres came back at another address: ${new URL(postgres.url).host}`)
    },
    stop: async () => {
      await postgres.stop("immediate")
      rmSync(home, { recursive: true, force: true })
    }
  }
}
