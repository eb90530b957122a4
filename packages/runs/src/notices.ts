import type { NotificationRecord } from "@agent-platform/kernel"
import type { Run } from "./Run.ts"

const NOTICE_LENGTH_MAX = 200

/** The notice to a person about a run's end: that it failed, or that it waits for an answer. */
export const noticeOf = (run: Run): Omit<NotificationRecord, "id" | "createdAt"> | undefined => {
  const about = {
    organizationId: run.organizationId,
    workspaceId: run.workspaceId,
    payload: { run_id: run.id, session_id: run.sessionId, agent_id: run.agentId }
  }
  if (run.status === "failed") {
    return {
      ...about,
      type: "run.failed",
      title: "A run failed",
      body: (run.error ?? "").slice(0, NOTICE_LENGTH_MAX),
      payload: { ...about.payload, error_code: run.errorCode }
    }
  }
  return run.paused
    ? {
        ...about,
        type: "run.paused",
        title: "A run waits for a reply",
        body: (run.message ?? "").slice(0, NOTICE_LENGTH_MAX)
      }
    : undefined
}
