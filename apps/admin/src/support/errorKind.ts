/** A word for each kind of known error, by the first pattern that fits. The word alone is given away: errors quote rows and hosts. */
const KINDS: ReadonlyArray<readonly [RegExp, string]> = [
  [/statement timeout/, "statement_timeout"],
  [/lock timeout/, "lock_timeout"],
  [/idle-in-transaction timeout/, "idle_in_transaction_timeout"],
  [/canceling statement/, "statement_cancelled"],
  [/deadlock detected/, "deadlock"],
  [/could not serialize/, "serialization_failure"],
  [/duplicate key value/, "unique_violation"],
  [/violates foreign key/, "foreign_key_violation"],
  [/violates check constraint/, "check_violation"],
  [/violates not-null/, "not_null_violation"],
  [/no partition of relation/, "no_partition"],
  [/read-only transaction|takes no writes|is a standby/, "read_only"],
  [/permission denied/, "permission_denied"],
  [/password authentication failed|no pg_hba\.conf entry|role .* does not exist/, "not_admitted"],
  [/(relation|column|function|schema|type) .* does not exist/, "schema_differs"],
  [/too many clients|remaining connection slots/, "too_many_connections"],
  [/no space left|could not extend file|disk full/i, "disk_full"],
  [/out of memory|out of shared memory/, "out_of_memory"],
  [/ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN/, "connection_failed"],
  [/connection terminated|terminating connection|connection .*closed|server closed/i, "connection_lost"],
  [/starting up|shutting down|recovery mode/, "database_starting_or_stopping"],
  [/invalid input syntax|invalid byte sequence/, "invalid_input"],
  [/timeout|timed out/i, "timeout"]
]

/** The kind of an error, in one word of ours. */
export const errorKindOf = (text: string): string => KINDS.find(([form]) => form.test(text))?.[1] ?? "other"
