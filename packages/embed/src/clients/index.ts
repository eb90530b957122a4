/**
 * The host's own client or transaction of a moment, by one method. A client of `pg` is one as it is; these make one of what
 * others have.
 */

/** Runs a statement whose parameters `$1`, `$2` … are texts or null, in whatever transaction the client is in. */
export interface HostClient {
  readonly query: (text: string, params: Array<string | null>) => PromiseLike<unknown>
}

/** Of postgres.js: `sql`, or the one that `sql.begin` gives. */
export const fromPostgresJs = (sql: {
  readonly unsafe: (text: string, params: Array<string | null>) => PromiseLike<unknown>
}): HostClient => ({ query: (text, params) => sql.unsafe(text, params) })

/** Of Prisma: the client, or the one that `$transaction` gives. */
export const fromPrisma = (prisma: {
  readonly $queryRawUnsafe: (text: string, ...params: Array<string | null>) => PromiseLike<unknown>
}): HostClient => ({ query: (text, params) => prisma.$queryRawUnsafe(text, ...params) })

/** Of Kysely: the database, or a transaction, and `CompiledQuery` of `kysely`. */
export const fromKysely = <Query>(
  kysely: { readonly executeQuery: (query: Query) => PromiseLike<unknown> },
  CompiledQuery: { readonly raw: (text: string, params: Array<unknown>) => Query }
): HostClient => ({ query: (text, params) => kysely.executeQuery(CompiledQuery.raw(text, params)) })

/** Of Drizzle over Postgres: the database, or a transaction, and `sql` of `drizzle-orm`. */
export const fromDrizzle = <Piece, Whole>(
  drizzle: { readonly execute: (query: Whole) => PromiseLike<unknown> },
  sql: {
    readonly raw: (text: string) => Piece
    readonly param: (value: string | null) => unknown
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
