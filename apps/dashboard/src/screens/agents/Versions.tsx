import type { ActivityEntry, Agent, AgentVersion } from "@agent-platform/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { agentVersionsQuery } from "../../api/agents.ts"
import { activityAboutQuery } from "../../api/feeds.ts"
import { usePages } from "../../api/usePages.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { Time } from "../../ui/Time.tsx"
import { differencesOf } from "./differences.ts"
import { VersionDialog } from "./VersionDialog.tsx"

/** The entry of the act that made a version; undefined where one may not see it, or it is not kept any more. */
const actOf = (entries: ReadonlyArray<ActivityEntry>, { status, version }: AgentVersion): ActivityEntry | undefined => {
  const updated = entries.find(({ action, payload }) => action === "agent.updated" && payload["version"] === version)
  if (updated !== undefined) return updated
  // The entries of the first and the last version of an agent do not say which version they made.
  if (status === "archived") return entries.find(({ action }) => action === "agent.deleted")
  return version === 1 ? entries.find(({ action }) => action === "agent.created") : undefined
}

const changesOf = (version: AgentVersion, before: AgentVersion | undefined): string => {
  if (version.version === 1) return "Created"
  if (before === undefined) return "The one before is not kept any more"
  const names = differencesOf(before, version).map(({ name }) => name.replaceAll("_", " "))
  // Each version was made by a change; one that is not to be seen was of a secret.
  return names.length === 0 ? "A secret" : names.join(", ")
}

/** The versions of an agent: what was changed, when and by whom. */
export const Versions = ({ agent }: { readonly agent: Agent }) => {
  const session = useSession()
  const { error, hasMore, isReadingOn, readOn, retry, rows } = usePages(agentVersionsQuery(session, agent.agent_id))
  const { data: entries = [] } = useQuery({
    ...activityAboutQuery(session, agent.agent_id, agent.updated_at),
    enabled: session.can("feeds:read")
  })
  const [opened, setOpened] = useState<number>()
  const place = rows?.findIndex(({ version }) => version === opened) ?? -1
  const shown = rows?.[place]
  return (
    <section className="grid gap-3" aria-label="Versions">
      <h2 className="font-semibold">Versions</h2>
      <ProblemNotice error={error} onRetry={retry} />
      {rows === undefined && error === null && <Skeleton />}
      <ol className="grid">
        {rows?.map((version, index) => (
          <li key={version.version} className="flex items-center gap-3 border-b border-line py-2">
            <div className="min-w-0 flex-1">
              <p className="flex gap-2">
                <span className="font-medium">Version {version.version}</span>
                {version.version === agent.version && <span className="text-muted">in use now</span>}
                <span className="ml-auto text-sm text-muted">
                  <Time at={version.created_at} />
                </span>
              </p>
              <p className="foreign text-sm text-muted">
                {changesOf(version, rows[index + 1])}
                {actOf(entries, version) && `, by ${actOf(entries, version)?.actor_label}`}
              </p>
            </div>
            <Button onClick={() => setOpened(version.version)}>
              Look<span className="sr-only"> at version {version.version}</span>
            </Button>
          </li>
        ))}
      </ol>
      {hasMore && (
        <div>
          <Button disabled={isReadingOn} onClick={readOn}>
            Earlier ones
          </Button>
        </div>
      )}
      {shown !== undefined && (
        <VersionDialog
          agent={agent}
          version={shown}
          before={rows?.[place + 1]}
          act={actOf(entries, shown)}
          onClose={() => setOpened(undefined)}
        />
      )}
    </section>
  )
}
