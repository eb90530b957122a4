import { ApiProblem } from "@agent-platform/client"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { listedRuns, recentRunsQuery, runQuery } from "../api/runs.ts"
import { sessionQuery } from "../api/sessions.ts"
import { useAgentNames } from "../screens/agents/useAgentNames.ts"
import { stateOf, statusOf } from "../screens/runs/filters.ts"
import { useSession } from "../session/SessionContext.tsx"
import { useDeliveriesByEnd } from "./useDeliveriesByEnd.ts"
import { useKeysByName } from "./useKeysByName.ts"

/** A line of the search. */
export interface Command {
  readonly value: string
  readonly label: string
  readonly run: () => void
}

interface Found {
  readonly commands: ReadonlyArray<Command>
  /** Said where no line fits. */
  readonly nothing: string
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The characters of an id that lists show, or some of them: a single one would fit half of all runs. */
const SHORT_ID = /^[0-9a-f]{2,8}$/

/** Most runs that are shown, and most deliveries. */
const SHOWN_MAX = 8

const isNotFound = (error: unknown): boolean => error instanceof ApiProblem && error.status === 404

/** The run or the session that has this whole id. */
const useById = (id: string) => {
  const session = useSession()
  const enabled = ID.test(id) && session.can("runs:read")
  const run = useQuery({ ...runQuery(session, id), enabled })
  const chat = useQuery({ ...sessionQuery(session, id), enabled })
  return {
    isRun: run.data !== undefined,
    isSession: chat.data !== undefined,
    isUnknown: isNotFound(run.error) && isNotFound(chat.error),
    isAsking: run.isLoading || chat.isLoading
  }
}

/** Runs by the end of their ids, as lists show it: those of the lists that were read, and the newest. */
const useRunsByEnd = (end: string) => {
  const session = useSession()
  const queries = useQueryClient()
  const isShort = SHORT_ID.test(end)
  const { data: recent = [], isLoading } = useQuery({
    ...recentRunsQuery(session),
    enabled: isShort && session.can("runs:read")
  })
  const fitting = isShort
    ? [...recent, ...listedRuns(queries)].filter(({ run_id }) => run_id.slice(-8).includes(end))
    : []
  const runs = [...new Map(fitting.map((run) => [run.run_id, run])).values()].slice(0, SHOWN_MAX)
  return { runs, isAsking: isLoading }
}

/** The runs, sessions, agents, deliveries and keys that fit what is searched for. */
export const useFound = (query: string): Found => {
  const navigate = useNavigate()
  const names = useAgentNames()
  const text = query.trim().toLowerCase()
  const byId = useById(text)
  const byEnd = useRunsByEnd(text)
  const deliveries = useDeliveriesByEnd(SHORT_ID.test(text) ? text : undefined, SHOWN_MAX)
  const keys = useKeysByName(text !== "")
  const toRun = (runId: string) => () => void navigate({ to: "/runs/$runId", params: { runId } })
  const toAgent = (agentId: string) => () => void navigate({ to: "/agents/$agentId", params: { agentId } })
  const toSession = () => void navigate({ to: "/sessions/$sessionId", params: { sessionId: text } })
  // The search compares what is shown with what was typed, so the id stands in the label.
  const commands: ReadonlyArray<Command> = [
    ...(byId.isRun ? [{ value: "run", label: `${query}: open this run`, run: toRun(text) }] : []),
    ...(byId.isSession ? [{ value: "session", label: `${query}: open this session`, run: toSession }] : []),
    ...(names.has(text) ? [{ value: "agent", label: `${query}: open this agent`, run: toAgent(text) }] : []),
    ...byEnd.runs.map((run) => ({
      value: run.run_id,
      label: `Run ${run.run_id.slice(-8)}: ${names.get(run.agent_id) ?? "an agent"}, ${statusOf(stateOf(run)).word}`,
      run: toRun(run.run_id)
    })),
    ...deliveries.commands,
    ...(text === "" ? [] : keys),
    ...(text === "" ? [] : [...names].map(([id, name]) => ({ value: id, label: `Agent ${name}`, run: toAgent(id) })))
  ]
  const isAsking = byId.isAsking || byEnd.isAsking || deliveries.isAsking
  const unknown = byId.isUnknown
    ? "Nothing in this workspace has this id. It may be one of another workspace."
    : "This id could not be looked up."
  const nothing = ID.test(text)
    ? unknown
    : "Nothing is called so. Runs and deliveries are found by the end of their ids among the newest, others by the whole id."
  return { commands, nothing: isAsking ? "Looking for it…" : nothing }
}
