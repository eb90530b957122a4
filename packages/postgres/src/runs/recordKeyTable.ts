import type { RecordKey } from "@agent-platform/runs"
import { nullable, text, timestamptz } from "../columnTypes.ts"
import { makeTable } from "../table.ts"

/** Keys that sign records. */
export const recordKeyTable = makeTable<RecordKey>("record_key", {
  id: text(),
  publicKey: text(),
  sealedPrivateKey: text(),
  createdAt: timestamptz(),
  retiredAt: nullable(timestamptz())
})
