import { useMutation } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { triggerRun } from "../../api/agents.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { trialKeyIn } from "../../session/startLink.ts"
import { Button, buttonClasses } from "../../ui/Button.tsx"
import { Command } from "../../ui/Command.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { QUESTION } from "../agents/demoScript.ts"
import { EMPTY_RUN, useTrigger } from "../agents/useTrigger.ts"
import { runCommand } from "./commands.ts"
import { Step, type StepState } from "./Step.tsx"
import { useAgentToTry } from "./useAgentToTry.ts"

const ASKING = { ...EMPTY_RUN, input: QUESTION }

/** Triggers the first run, at a click or by a command. */
export const FirstRun = (step: StepState) => {
  const session = useSession()
  const { agent, agents } = useAgentToTry()
  const key = trialKeyIn(session.workspace?.id)
  const ask = useTrigger()
  const run = useMutation({
    mutationFn: (agent_id: string) => triggerRun(session, { agent_id, message: "Hello" })
  })
  return (
    <Step
      title="A first run"
      sentence="An agent gets a message; the run appears in the list below as it goes on."
      {...step}
    >
      <ProblemNotice error={run.error ?? ask.error} />
      <div className="flex flex-wrap items-center gap-2">
        {agent !== undefined && session.can("runs:write") && (
          <Button kind="primary" disabled={run.isPending} onClick={() => run.mutate(agent.agent_id)}>
            Say hello to {agent.name}
          </Button>
        )}
        {agent?.recipe === "demo" && session.can("runs:write") && (
          <Button disabled={ask.isPending} onClick={() => ask.mutate({ agentId: agent.agent_id, draft: ASKING })}>
            Let it ask you something
          </Button>
        )}
        {agents?.length === 0 && session.can("agents:write") && (
          <Link to="/agents" className={buttonClasses("primary")}>
            Make an agent
          </Link>
        )}
        {run.data && (
          <Link to="/runs/$runId" params={{ runId: run.data.run_id }} className="text-accent underline">
            Look at the run
          </Link>
        )}
      </div>
      <Command text={runCommand(location.origin, key, agent?.agent_id)} />
      {key === undefined && session.can("keys:write") && (
        <p className="text-muted">
          <Link to="/keys" className="text-accent underline">
            Make a key
          </Link>{" "}
          of this workspace to put in the place of $KEY.
        </p>
      )}
    </Step>
  )
}
