/** Durations in statements, counted by the buckets of `Distribution`. */
import { BUCKET_BOUNDS } from "@agent-platform/toolkit"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { integers } from "./columns.ts"

/** The bucket of a number of milliseconds; null for null. */
export const bucketIn = (sql: SqlClient.SqlClient, millis: string): Fragment =>
  sql`width_bucket((${sql.literal(millis)})::float8, ${integers(BUCKET_BOUNDS)}::float8[]) - 1`

/** Rows that hold a bucket and how many fell into it, as the JSON of a `Distribution`. */
export const distributionIn = (count: string): string =>
  `coalesce(json_object_agg(bucket, ${count}) filter (where bucket is not null), '{}')`
