import { ProcessName } from "@agent-platform/kernel"
import { Effect, References } from "effect"
import type { Run } from "./Run.ts"

/** Failures that are the platform's own affair, and not the agent's or its caller's. */
const OURS: ReadonlySet<string> = new Set(["worker_lost", "internal_error"])

/**
 * One line in the log for each of these runs that failed, once that is committed. Nothing of what the agent or its caller wrote is
 * in it, the text of the error included.
 */
export const logFailures = Effect.fnUntraced(function* (ended: ReadonlyArray<Run>) {
  const failed = ended.filter(({ status }) => status === "failed")
  if (failed.length === 0) return
  const worker_id = yield* ProcessName
  for (const { attempt, errorCode, id, workspaceId } of failed) {
    const code = errorCode ?? "internal_error"
    yield* (OURS.has(code) ? Effect.logWarning : Effect.logInfo)(`A run failed: ${code}`).pipe(
      Effect.provideService(References.CurrentLogAnnotations, {
        run_id: id,
        workspace_id: workspaceId,
        error_code: code,
        attempt,
        worker_id
      })
    )
  }
})
