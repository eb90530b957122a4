import type { FeedPayload, NewNotice, NotificationRecord } from "@agent-platform/kernel"
import type { Run } from "./Run.ts"

const NOTICE_LENGTH_MAX = 200

/**
 * The notice to people about a run's end, if it needs one. The notice of a failure is about the agent; that of a question is about
 * the run, and is closed when the question is.
 */
export const noticeOf = (run: Run): NewNotice | undefined => {
  const { organizationId, workspaceId } = run
  const about = { run_id: run.id, session_id: run.sessionId, agent_id: run.agentId }
  const notice = (
    type: NotificationRecord["type"],
    resource: string,
    title: string,
    body: string | null,
    payload: FeedPayload
  ): NewNotice => ({
    organizationId,
    workspaceId,
    type,
    about: resource,
    title,
    body: (body ?? "").slice(0, NOTICE_LENGTH_MAX),
    payload
  })
  if (run.status === "failed") {
    return notice("run.failed", run.agentId, "A run failed", run.error, { ...about, error_code: run.errorCode })
  }
  return run.paused ? notice("run.paused", run.id, "A run waits for a reply", run.message, about) : undefined
}
