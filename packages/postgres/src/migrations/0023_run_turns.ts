/** Ready runs are found by organization first, in turns, and then by workspace. */
import { statements } from "./statements.ts"

export const runTurns = statements([
  `drop index run_ready`,
  `create index run_ready on run (organization_id, workspace_id, priority desc, due_at, id) where ready`
])
