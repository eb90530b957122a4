import { useMutation } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { triggerRun } from "../../api/agents.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { givenJson } from "../../ui/givenJson.ts"

/** A run as it is written by hand: its message, and its input as JSON. */
export interface RunDraft {
  readonly message: string
  readonly input: string
}

export const EMPTY_RUN: RunDraft = { message: "", input: "" }

const inputOf = ({ input }: RunDraft): { readonly input?: unknown } =>
  input.trim() === "" ? {} : { input: givenJson(input) }

/** Whether the input can be read. */
export const isReadable = (draft: RunDraft): boolean => {
  try {
    inputOf(draft)
    return true
  } catch {
    return false
  }
}

/** Whether there is anything to send, and all of it can be. */
export const isWritten = (draft: RunDraft): boolean =>
  (draft.message.trim() !== "" || draft.input.trim() !== "") && isReadable(draft)

/** Triggers a run of an agent, and leads to it. */
export const useTrigger = () => {
  const session = useSession()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async ({ agentId, draft }: { readonly agentId: string; readonly draft: RunDraft }) => {
      const message = draft.message.trim() === "" ? {} : { message: draft.message }
      return triggerRun(session, { agent_id: agentId, ...message, ...inputOf(draft) })
    },
    // Not waited for: it may end on the question about unsaved settings, and the run is triggered already.
    onSuccess: ({ run_id }) => void navigate({ to: "/runs/$runId", params: { runId: run_id } })
  })
}
