import type { ReplyToSessionRequest, Run } from "@agent-platform/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { replyToSession } from "../../api/runs.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { LongText } from "../../ui/LongText.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { AnswerForm } from "./AnswerForm.tsx"
import { CallsForm } from "./CallsForm.tsx"
import { waitingOf } from "./runState.ts"

/** The body of a reply, without the run that it answers. */
export type Reply = Omit<NonNullable<ReplyToSessionRequest["body"]>, "run_id">

/** The question that a run has ended on, and the way to answer it. The answer is a run of its own, to which it leads. */
export const ReplyPanel = ({ run }: { readonly run: Run }) => {
  const session = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const reply = useMutation({
    mutationFn: (body: Reply) => replyToSession(session, run.session_id, { ...body, run_id: run.run_id }),
    onSuccess: async ({ run_id }) => {
      await navigate({ to: "/runs/$runId", params: { runId: run_id } })
      await queries.invalidateQueries({ queryKey: ["runs"] })
    }
  })
  const waiting = waitingOf(run)
  return (
    <section aria-label="Reply" className="grid max-h-[50vh] gap-3 overflow-auto border-t border-line bg-panel p-4">
      {run.message !== null && (
        <div className="font-medium">
          <LongText text={run.message} />
        </div>
      )}
      {waiting.for === "answer" ? (
        <AnswerForm data={waiting.data} pending={reply.isPending} onReply={reply.mutate} />
      ) : (
        <CallsForm waiting={waiting} pending={reply.isPending} onReply={reply.mutate} />
      )}
      <ProblemNotice error={reply.error} />
    </section>
  )
}
