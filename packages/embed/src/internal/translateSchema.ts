/** Why the tables in a host's schema are not those of this release, in words. */
import type { DatabaseAhead, DatabaseBehind, SchemaTaken } from "@agent-platform/postgres"
import { type CommonErrorCode, makeTranslate, type Translate } from "./EmbedError.ts"

/** The refusals of a schema of this name. */
export const translateSchema = (schema: string): Translate =>
  makeTranslate<CommonErrorCode>({
    SchemaTaken: ({ message }: SchemaTaken) => ["schema_taken", message, { schema }],
    DatabaseAhead: ({ message }: DatabaseAhead) => ["schema_ahead", message, { schema }],
    DatabaseBehind: ({ message, steps }: DatabaseBehind) => [
      "not_migrated",
      `${message}: call migrate() first`,
      { schema, steps }
    ],
    DatabaseTooOld: () => [
      "schema_too_old",
      `The schema "${schema}" was made by a version before the first release, whose tables are not carried over. ` +
        "Nothing was changed: choose another schema, or drop this one",
      { schema }
    ]
  })
