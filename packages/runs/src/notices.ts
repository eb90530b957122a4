import type { FeedPayload, NotificationRecord } from "@agent-platform/kernel"
import type { Run } from "./Run.ts"

const NOTICE_LENGTH_MAX = 200

/** The notice to a person about a run's end: that it failed, or that it waits for an answer. */
export const noticeOf = (run: Run): Omit<NotificationRecord, "id" | "createdAt"> | undefined => {
  const { organizationId, workspaceId } = run
  const about = { run_id: run.id, session_id: run.sessionId, agent_id: run.agentId }
  const notice = (type: NotificationRecord["type"], title: string, body: string | null, payload: FeedPayload) => ({
    organizationId,
    workspaceId,
    type,
    title,
    body: (body ?? "").slice(0, NOTICE_LENGTH_MAX),
    payload
  })
  if (run.status === "failed") {
    return notice("run.failed", "A run failed", run.error, { ...about, error_code: run.errorCode })
  }
  return run.paused ? notice("run.paused", "A run waits for a reply", run.message, about) : undefined
}
