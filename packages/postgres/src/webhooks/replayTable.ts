import type { Replay } from "@agent-platform/webhooks"
import { integer, nullable, text, timestamptz, uuid } from "../columnTypes.ts"
import { makeTable } from "../table.ts"

/** Replays of ranges. */
export const replayTable = makeTable<Replay>("webhook_replay", {
  id: uuid(),
  organizationId: uuid(),
  endpointId: uuid(),
  since: timestamptz(),
  until: timestamptz(),
  selection: text(),
  state: text(),
  stateReason: nullable(text()),
  position: nullable(uuid()),
  replayedCount: integer(),
  createdAt: timestamptz(),
  startedAt: nullable(timestamptz()),
  finishedAt: nullable(timestamptz())
})
