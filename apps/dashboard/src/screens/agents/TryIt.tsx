import type { Agent } from "@agent-platform/client"
import { useMutation } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { triggerRun } from "../../api/agents.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { TextArea } from "../../ui/Field.tsx"
import { Form } from "../../ui/Form.tsx"
import { givenJson } from "../../ui/givenJson.ts"
import { QUESTION } from "./demoScript.ts"

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
  return (
    <Form
      label="Try it"
      error={run.error}
      onSubmit={() => run.mutate()}
      actions={
        <>
          {agent.recipe === "demo" && (
            <Button onClick={() => setInput(JSON.stringify(QUESTION, null, 2))}>A script that asks</Button>
          )}
          <Button
            type="submit"
            kind="primary"
            disabled={run.isPending || (message.trim() === "" && input.trim() === "")}
          >
            Run
          </Button>
        </>
      }
    >
      <h2 className="font-semibold">Try it</h2>
      <TextArea label="Message" member="message" rows={3} value={message} onChange={setMessage} />
      <TextArea
        label="Input, as JSON"
        member="input"
        rows={5}
        className="font-mono text-sm"
        spellCheck={false}
        value={input}
        onChange={setInput}
      />
    </Form>
  )
}
