import type { Run } from "@agent-platform/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { runCostsQuery } from "../../api/runs.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { CopyId } from "../../ui/Copy.tsx"
import { jsonText } from "../../ui/jsonText.ts"
import { LongText } from "../../ui/LongText.tsx"
import { count, counted, duration, exactMoney } from "../../ui/numbers.ts"
import { Time } from "../../ui/Time.tsx"

const Fact = ({ children, name }: { readonly name: string; readonly children: ReactNode }) => (
  <div className="grid grid-cols-[96px_1fr] gap-3 py-1">
    <dt className="min-w-0 foreign text-muted">{name}</dt>
    <dd className="min-w-0 foreign">{children}</dd>
  </div>
)

const Part = ({ children, title }: { readonly title: string; readonly children: ReactNode }) => (
  <section className="border-b border-line p-4">
    <h2 className="mb-1 font-semibold">{title}</h2>
    {children}
  </section>
)

const TRIGGERS: Readonly<Record<Run["trigger"]["type"], string>> = {
  api: "by the API",
  message: "by a message",
  webhook: "by its inbound webhook",
  schedule: "by a schedule"
}

const asText = (value: unknown): string => (typeof value === "string" ? value : jsonText(value))

const isThere = (value: unknown): boolean => value !== null && value !== undefined

const Costs = ({ run }: { readonly run: Run }) => {
  const session = useSession()
  const { data } = useQuery({ ...runCostsQuery(session, run.run_id), enabled: session.can("analytics:read") })
  return (
    <Part title="Cost">
      <dl className="tabular-nums">
        <Fact name="Total">{exactMoney(run.cost_usd)}</Fact>
        {data !== undefined && Number(data.reserved_usd) > 0 && (
          <Fact name="Held back">{exactMoney(data.reserved_usd)}</Fact>
        )}
        {data?.items.map(({ cost_usd, key_source, model, requests }) => (
          <Fact key={`${model} ${key_source}`} name={model}>
            {exactMoney(cost_usd)} in {counted(requests, "request")}
          </Fact>
        ))}
        {run.usage !== null && (
          <>
            <Fact name="Tokens in">{count(run.usage.input_tokens)}</Fact>
            <Fact name="Tokens out">{count(run.usage.output_tokens)}</Fact>
          </>
        )}
      </dl>
    </Part>
  )
}

/** The facts of a run beside its log. */
export const RunFacts = ({ agentName, run }: { readonly run: Run; readonly agentName: string | undefined }) => {
  const { finished_at, started_at } = run
  return (
    <>
      <Part title="Run">
        <dl>
          <Fact name="Id">
            <CopyId id={run.run_id} label="run" whole />
          </Fact>
          <Fact name="Agent">
            {agentName === undefined ? (
              <CopyId id={run.agent_id} label="agent" />
            ) : (
              <Link to="/agents/$agentId" params={{ agentId: run.agent_id }} className="text-accent underline">
                {agentName}
              </Link>
            )}
          </Fact>
          <Fact name="Session">
            <Link
              to="/sessions/$sessionId"
              params={{ sessionId: run.session_id }}
              className="font-mono text-sm text-accent underline"
              title={run.session_id}
            >
              {run.session_id.slice(-8)}
            </Link>
          </Fact>
          {run.model !== null && <Fact name="Model">{run.model}</Fact>}
          <Fact name="Triggered">
            <Time at={run.created_at} />, {TRIGGERS[run.trigger.type]}
          </Fact>
          {started_at !== null && finished_at !== null && (
            <Fact name="Took">{duration(Date.parse(finished_at) - Date.parse(started_at))}</Fact>
          )}
          <Fact name="Attempt">
            {run.attempt} of {run.max_attempts}
          </Fact>
          {run.tags.length > 0 && <Fact name="Tags">{run.tags.join(", ")}</Fact>}
          {Object.entries(run.metadata).map(([name, text]) => (
            <Fact key={name} name={name}>
              {text}
            </Fact>
          ))}
        </dl>
      </Part>
      <Costs run={run} />
      {(run.prompt !== null || isThere(run.input)) && (
        <Part title="What was sent">
          <div className="grid gap-2">
            {run.prompt !== null && <LongText text={run.prompt} />}
            {isThere(run.input) && <LongText mono text={asText(run.input)} />}
          </div>
        </Part>
      )}
      {isThere(run.result) && (
        <Part title="Result">
          <LongText mono text={asText(run.result)} />
        </Part>
      )}
    </>
  )
}
