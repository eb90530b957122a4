/**
 * A domain's tables can be installed without those of the others, except the shared ones, which all need. `publishing`, `keyring` and
 * `metering` are for services that embed single domains: the first beside `webhooks`, the others in place of `keys` and `billing`.
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
 * One step of a domain's schema. Its functions get the quoted name of the schema. Apps of the release before go on beside it, so it
 * only adds; `docs/contributing.md` says how existing tables are changed over several releases.
 */
export type Step = { readonly name: string } & (StatementsStep | IndexStep | BackfillStep)

/** Statements that run in one transaction, and give up soon where one of their tables is in use. */
export interface StatementsStep {
  readonly statements: (schema: string) => ReadonlyArray<string>
}

/** An index on a table that has rows, built while they are read and written. On a partitioned table, each partition's is built first. */
export interface IndexStep {
  readonly index: {
    readonly name: string
    readonly table: string
    readonly isUnique?: boolean
    /** The rest of the definition, after the name of the table: `(workspace_id, id) where …`. */
    readonly definition: string
  }
}

/** Rows that are written in portions, each in a transaction that also stores how far it came. */
export interface BackfillStep {
  /**
   * A statement that writes at most `$2` rows after the place `$1`, a text that is null for the first portion. It returns one row:
   * `place`, after which the next portion goes on, null after the last, and `rows`, how many were written.
   */
  readonly backfill: (schema: string) => string
  /** The table whose rows are written; its size is reported beside the progress. */
  readonly table: string
}

/** A step with its place among those of its domain, from 1. */
export interface NumberedStep {
  readonly domain: Domain
  readonly number: number
  readonly step: Step
}
