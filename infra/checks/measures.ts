/** Every measure that the apps have. */
import { MODEL_MEASURES } from "@agent-platform/billing"
import { KEY_MEASURES } from "@agent-platform/keys"
import { QUEUE_MEASURES } from "@agent-platform/pg-boss"
import { JOB_MEASURES } from "@agent-platform/platform"
import { AGE_MEASURES, DEPTH_MEASURES, REPLICA_MEASURES, UP_MEASURES } from "@agent-platform/postgres"
import { PAGE_MEASURES, PROCESS_MEASURES } from "@agent-platform/process"
import { RUN_MEASURES } from "@agent-platform/runs"
import type { Measure } from "@agent-platform/toolkit"
import { DELIVERY_MEASURES } from "@agent-platform/webhooks"
import { HTTP_MEASURES } from "../../apps/api/src/measures.ts"

/** In no particular order; a check holds that none is missing. */
export const MEASURES: ReadonlyArray<Measure> = [
  ...HTTP_MEASURES,
  ...KEY_MEASURES,
  ...RUN_MEASURES,
  ...DELIVERY_MEASURES,
  ...MODEL_MEASURES,
  ...JOB_MEASURES,
  ...UP_MEASURES,
  ...REPLICA_MEASURES,
  ...AGE_MEASURES,
  ...DEPTH_MEASURES,
  ...QUEUE_MEASURES,
  ...PAGE_MEASURES,
  ...PROCESS_MEASURES
] as ReadonlyArray<Measure>
