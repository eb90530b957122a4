/** Pools of a host, a service that embeds a domain. */
import { Effect, Redacted } from "effect"
import pg from "pg"

/** A pool of `pg` over the database, until the scope closes. */
export const makeHostPool = (url: Redacted.Redacted) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const pool = new pg.Pool({ connectionString: Redacted.value(url), max: 24 })
      // A pool has ended before its sessions have, and dropping the database ends those: an error of the pool by then.
      pool.on("error", () => undefined)
      return pool
    }),
    (pool) => Effect.promise(() => pool.end())
  )
