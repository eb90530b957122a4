import type { Agent } from "@agent-platform/client"
import { useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { Form } from "../../ui/Form.tsx"
import { QUESTION } from "./demoScript.ts"
import { RunFields } from "./RunFields.tsx"
import { EMPTY_RUN, isWritten, useTrigger } from "./useTrigger.ts"

/** Triggers a run of the agent, and leads to it. */
export const TryIt = ({ agent }: { readonly agent: Agent }) => {
  const [draft, setDraft] = useState(EMPTY_RUN)
  const run = useTrigger()
  return (
    <Form
      label="Try it"
      error={run.error}
      onSubmit={() => run.mutate({ agentId: agent.agent_id, draft })}
      actions={
        <>
          {agent.recipe === "demo" && (
            <Button onClick={() => setDraft({ ...draft, input: QUESTION })}>A script that asks</Button>
          )}
          <Button type="submit" kind="primary" disabled={run.isPending || !isWritten(draft)}>
            Run
          </Button>
        </>
      }
    >
      <h2 className="font-semibold">Try it</h2>
      <RunFields draft={draft} onChange={setDraft} />
    </Form>
  )
}
