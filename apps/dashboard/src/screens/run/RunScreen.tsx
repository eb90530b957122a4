import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { agentsQuery } from "../../api/agents.ts"
import { runQuery } from "../../api/runs.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { Screen } from "../../ui/Screen.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { Status } from "../../ui/Status.tsx"
import { StreamNotice } from "../../ui/StreamNotice.tsx"
import { stateOf, statusOf, waitsForAnswer } from "../runs/filters.ts"
import { AnsweredBy, AnswersRun } from "./Exchange.tsx"
import { LogView } from "./LogView.tsx"
import { MissingKey } from "./MissingKey.tsx"
import { ReplyPanel } from "./ReplyPanel.tsx"
import { RunActions } from "./RunActions.tsx"
import { RunFacts } from "./RunFacts.tsx"
import { useRunLog } from "./useRunLog.ts"

const route = getRouteApi("/frame/runs/$runId")

const LiveRun = ({ runId }: { readonly runId: string }) => {
  const session = useSession()
  // Read once here; `useRunLog` has it read anew whenever the log says that the run has changed.
  const { data: run, error, isPending, refetch } = useQuery(runQuery(session, runId))
  const { data: agents } = useQuery({ ...agentsQuery(session), enabled: session.can("agents:read") })
  const { blocks, state: streamState } = useRunLog(runId)
  const title = `Run ${runId.slice(-8)}`
  if (isPending) return <Skeleton />
  if (run === undefined) {
    return (
      <Screen title={title}>
        <div className="p-4">
          <ProblemNotice error={error} onRetry={() => void refetch()} />
        </div>
      </Screen>
    )
  }
  const agentName = agents?.find(({ agent_id }) => agent_id === run.agent_id)?.name
  return (
    <Screen
      title={title}
      bar={
        <>
          <span role="status" className="mr-2">
            <Status {...statusOf(stateOf(run))} />
          </span>
          <RunActions run={run} />
        </>
      }
    >
      <div className="flex min-h-0 flex-1 flex-col overflow-auto md:flex-row md:overflow-hidden">
        <div className="flex min-h-[60vh] min-w-0 flex-1 flex-col md:min-h-0">
          <StreamNotice state={streamState} />
          {run.resumes_run_id !== null && <AnswersRun runId={run.resumes_run_id} />}
          <LogView blocks={blocks} />
          <MissingKey run={run} />
          {run.resumed_by_run_id !== null && <AnsweredBy runId={run.resumed_by_run_id} />}
          {waitsForAnswer(run) && run.cancel_requested_at === null && session.can("runs:write") && (
            <ReplyPanel run={run} />
          )}
        </div>
        <section aria-label="Facts" tabIndex={0} className="border-line md:w-[320px] md:overflow-auto md:border-l">
          <RunFacts run={run} agentName={agentName} />
        </section>
      </div>
    </Screen>
  )
}

/** One run as it goes on. */
export const RunScreen = () => {
  const { runId } = route.useParams()
  return <LiveRun key={runId} runId={runId} />
}
