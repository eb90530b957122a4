/**
 * Tables that can be installed without those of another domain. All of them need the shared ones. `publishing`,
 * `keyring` and `metering` are for services that embed single domains: beside `webhooks`, and in the place of `keys` and `billing`.
 */
export type Domain =
  | "shared"
  | "keys"
  | "runs"
  | "billing"
  | "webhooks"
  | "feeds"
  | "publishing"
  | "keyring"
  | "metering"

/**
 * One step of a domain's schema, which gets the quoted name of the schema. Apps of the release before go on beside it, so it only
 * adds; `docs/contributing.md` says how what is there is changed over releases.
 */
export type Step = { readonly name: string } & (StatementsStep | IndexStep | BackfillStep)

/** Statements that run in one transaction, and wait for none of their tables for longer than a moment. */
export interface StatementsStep {
  readonly statements: (schema: string) => ReadonlyArray<string>
}

/** An index on a table that has rows, built while they are read and written. Of partitions each gets its own first. */
export interface IndexStep {
  readonly index: {
    readonly name: string
    readonly table: string
    readonly isUnique?: boolean
    /** The rest of the definition, behind the name of the table: `(workspace_id, id) where …`. */
    readonly definition: string
  }
}

/** Rows that are written in portions, each in a transaction that keeps how far it came. */
export interface BackfillStep {
  /**
   * A statement that writes the portion behind the place `$1`, a text that is null in the beginning, of at most `$2` rows. It
   * answers one row: `place`, where the next portion begins, null after the last, and `rows`, how many were written.
   */
  readonly backfill: (schema: string) => string
  /** The table whose rows are gone through, by which progress is reported. */
  readonly table: string
}
