import type { ActivityEntry, Agent, AgentVersion } from "@agent-platform/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { updateAgent } from "../../api/agents.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { jsonText } from "../../ui/jsonText.ts"
import { LongText } from "../../ui/LongText.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { exactTime } from "../../ui/Time.tsx"
import { type Difference, differencesOf, type Setting, settingsIn } from "./differences.ts"
import { draftOf, settingsOf } from "./draft.ts"
import { EndpointSecret } from "./EndpointSecret.tsx"

interface VersionDialogProps {
  readonly agent: Agent
  readonly version: AgentVersion
  /** The one that it took the place of, where that is kept. */
  readonly before: AgentVersion | undefined
  /** The act that made it, where one may see it. */
  readonly act: ActivityEntry | undefined
  readonly onClose: () => void
}

const Value = ({ value }: { readonly value: unknown }) =>
  value === null ? (
    <p className="text-muted">Not set</p>
  ) : (
    <LongText mono text={typeof value === "string" ? value : jsonText(value)} />
  )

const Differences = ({ all }: { readonly all: ReadonlyArray<Difference> }) => (
  <dl className="grid gap-3">
    {all.map(({ after, before, name }) => (
      <div key={name} className="grid gap-1">
        <dt className="font-medium">{name.replaceAll("_", " ")}</dt>
        <dd className="rounded-md bg-bad-tint p-2">
          <span className="sr-only">Before: </span>
          <Value value={before} />
        </dd>
        <dd className="rounded-md bg-tint p-2">
          <span className="sr-only">Then: </span>
          <Value value={after} />
        </dd>
      </div>
    ))}
  </dl>
)

const Settings = ({ all }: { readonly all: ReadonlyArray<Setting> }) => (
  <dl className="grid gap-3">
    {all.map(({ name, value }) => (
      <div key={name} className="grid gap-1">
        <dt className="font-medium">{name.replaceAll("_", " ")}</dt>
        <dd>
          <Value value={value} />
        </dd>
      </div>
    ))}
  </dl>
)

const Part = ({ children, title }: { readonly title: string; readonly children: ReactNode }) => (
  <section className="grid gap-2" aria-label={title}>
    <h3 className="font-semibold">{title}</h3>
    {children}
  </section>
)

/** A version of an agent: what it changed, its other settings, and, for whom it is allowed, the way back to it. */
export const VersionDialog = ({ act, agent, before, onClose, version }: VersionDialogProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const [secret, setSecret] = useState<string>()
  const close = () => {
    onClose()
    void queries.invalidateQueries({ queryKey: ["agents"] })
  }
  /** The settings that it would set if it was taken up again. */
  const settingsAgain = settingsOf(draftOf(version), draftOf(agent))
  const takeUp = useMutation({
    mutationFn: () => updateAgent(session, agent, settingsAgain),
    // Another URL has another secret.
    onSuccess: ({ endpoint }) => (endpoint?.signing_secret ? setSecret(endpoint.signing_secret) : close())
  })
  if (secret !== undefined) return <EndpointSecret secret={secret} onClose={close} />
  const changed = before && differencesOf(before, version)
  const others = settingsIn(version).filter(({ name }) => !changed?.some((one) => one.name === name))
  const mayTakeUp = session.can("agents:write") && agent.status === "active" && Object.keys(settingsAgain).length > 0
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Version ${version.version}`}
      description={`${act === undefined ? "Since" : `${act.summary},`} ${exactTime(version.created_at)}`}
    >
      <div className="grid gap-4">
        <Part title="What it changed">
          {changed === undefined || changed.length === 0 ? (
            <p className="text-muted">
              {version.version === 1
                ? "It is the first one."
                : changed === undefined
                  ? "The one before is not kept any more."
                  : "A secret, which is not shown."}
            </p>
          ) : (
            <Differences all={changed} />
          )}
        </Part>
        {others.length > 0 && (
          <Part title={changed === undefined || changed.length === 0 ? "Its settings" : "Its other settings"}>
            <Settings all={others} />
          </Part>
        )}
        {mayTakeUp && (
          <Part title="Beside the one in use">
            <p className="text-muted">
              To take it up again sets: {Object.keys(settingsAgain).join(", ").replaceAll("_", " ")}. Headers of
              servers, and secrets, stay as they are.
            </p>
          </Part>
        )}
        <ProblemNotice error={takeUp.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Close</Button>
          {mayTakeUp && (
            <Button kind="primary" disabled={takeUp.isPending} onClick={() => takeUp.mutate()}>
              Take it up again
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  )
}
