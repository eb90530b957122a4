/** The refusals of this door: the domain has none of its own. */

/** The codes of `EmbedError` that this door has. */
export type FeedsErrorCode =
  | "client_without_database"
  | "client_without_transaction"
  | "closed"
  | "database_failed"
  | "database_invalid"
  | "input_invalid"
  | "not_migrated"
  | "option_invalid"
  | "reader_invalid"
  | "schema_ahead"
  | "schema_invalid"
  | "schema_taken"
  | "tenant_invalid"
