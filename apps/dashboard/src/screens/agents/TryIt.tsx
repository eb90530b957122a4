import type { Agent } from "@agent-platform/client"
import { useMutation } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { triggerRun } from "../../api/agents.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { TextArea } from "../../ui/Field.tsx"
import { givenJson } from "../../ui/givenJson.ts"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"

/** Triggers a run of the agent, and leads to it. */
export const TryIt = ({ agent }: { readonly agent: Agent }) => {
  const session = useSession()
  const navigate = useNavigate()
  const [message, setMessage] = useState("")
  const [input, setInput] = useState("")
  const run = useMutation({
    mutationFn: async () => {
      const given = input.trim() === "" ? {} : { input: givenJson(input) }
      const said = message.trim() === "" ? {} : { message }
      const { run_id } = await triggerRun(session, { agent_id: agent.agent_id, ...said, ...given })
      await navigate({ to: "/runs/$runId", params: { runId: run_id } })
    }
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    run.mutate()
  }
  return (
    <form onSubmit={send} className="grid gap-3" aria-label="Try it">
      <h2 className="font-semibold">Try it</h2>
      <TextArea label="Message" rows={3} value={message} onChange={setMessage} />
      <TextArea
        label="Input, as JSON"
        rows={2}
        className="font-mono text-sm"
        spellCheck={false}
        value={input}
        onChange={setInput}
      />
      <ProblemNotice error={run.error} />
      <div className="flex justify-end">
        <Button type="submit" kind="primary" disabled={run.isPending || (message.trim() === "" && input.trim() === "")}>
          Run
        </Button>
      </div>
    </form>
  )
}
