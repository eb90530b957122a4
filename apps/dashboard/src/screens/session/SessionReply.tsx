import type { Session } from "@agent-platform/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { replyToSession } from "../../api/runs.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { AnswerForm } from "../run/AnswerForm.tsx"
import { CallsForm } from "../run/CallsForm.tsx"
import type { Reply } from "../run/ReplyPanel.tsx"
import { waitingOf } from "../run/runState.ts"

/** The box to answer the open question in, or to begin the next turn. `chat` is the agent's session; `session` is who is signed in. */
export const SessionReply = ({ chat }: { readonly chat: Session }) => {
  const session = useSession()
  const queries = useQueryClient()
  const question = chat.open_question
  const reply = useMutation({
    mutationFn: (body: Reply) =>
      replyToSession(session, chat.session_id, { ...body, ...(question === null ? {} : { run_id: question.run_id }) }),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ["sessions"] }),
        queries.invalidateQueries({ queryKey: ["runs"] })
      ])
  })
  const waiting = waitingOf({ interrupt: question?.interrupt ?? null })
  // As the form's key: another run's form begins empty, without the text that was sent.
  const turn = reply.data?.run_id ?? question?.run_id ?? "first"
  return (
    <section aria-label="Reply" className="grid max-h-[50vh] gap-3 overflow-auto border-t border-line bg-panel p-4">
      {waiting.for === "answer" ? (
        <AnswerForm
          key={turn}
          data={waiting.data}
          label={question === null ? "Your message" : "Your answer"}
          pending={reply.isPending}
          onReply={reply.mutate}
        />
      ) : (
        <CallsForm key={turn} waiting={waiting} pending={reply.isPending} onReply={reply.mutate} />
      )}
      <ProblemNotice error={reply.error} />
    </section>
  )
}
