/**
 * Makes a `HostClient`, by which a call becomes part of the host's own transaction, from the clients of several libraries. A client
 * of `pg` is one as it is.
 */

/** Runs a statement whose parameters `$1`, `$2` … are texts or null, in whatever transaction the client is in. */
export interface HostClient {
  readonly query: (text: string, params: Array<string | null>) => PromiseLike<unknown>
}

/** From postgres.js: `sql`, or the one that `sql.begin` passes to its callback. */
export const fromPostgresJs = (sql: {
  readonly unsafe: (text: string, params: Array<string | null>) => PromiseLike<unknown>
}): HostClient => ({ query: (text, params) => sql.unsafe(text, params) })

/** From Prisma: the client, or the one that `$transaction` passes to its callback. */
export const fromPrisma = (prisma: {
  readonly $queryRawUnsafe: (text: string, ...params: Array<string | null>) => PromiseLike<unknown>
}): HostClient => ({ query: (text, params) => prisma.$queryRawUnsafe(text, ...params) })

/** From Kysely: the database or a transaction, and `CompiledQuery` of `kysely`. */
export const fromKysely = <Query>(
  kysely: { readonly executeQuery: (query: Query) => PromiseLike<unknown> },
  CompiledQuery: { readonly raw: (text: string, params: Array<unknown>) => Query }
): HostClient => ({ query: (text, params) => kysely.executeQuery(CompiledQuery.raw(text, params)) })

/** From Drizzle over Postgres: the database or a transaction, and `sql` of `drizzle-orm`. */
export const fromDrizzle = <Piece, Whole>(
  drizzle: { readonly execute: (query: Whole) => PromiseLike<unknown> },
  sql: {
    readonly raw: (text: string) => Piece
    readonly param: (value: string | null) => unknown
    // Of `never`, so that Drizzle's function fits whatever type it declares for pieces; hence the cast below.
    readonly join: (pieces: Array<never>) => Whole
  }
): HostClient => ({
  query: (text, params) => {
    const pieces = text
      .split(/(\$\d+)/)
      .map((piece) => (/^\$\d+$/.test(piece) ? sql.param(params[Number(piece.slice(1)) - 1] ?? null) : sql.raw(piece)))
    return drizzle.execute(sql.join(pieces as Array<never>))
  }
})
