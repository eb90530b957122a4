import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type Template, templateQuery, templateWorkspacesQuery } from "../../api/templates.ts"
import { usePages } from "../../api/usePages.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { CopyId } from "../../ui/Copy.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { List } from "../../ui/List.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { Screen } from "../../ui/Screen.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { Spread } from "./Spread.tsx"
import type { TemplateKind } from "./TemplateKind.ts"
import { useTemplateActions } from "./useTemplateActions.tsx"
import { workspaceColumns } from "./workspaceColumns.tsx"

interface TemplateScreenProps<One extends Template> {
  readonly kind: TemplateKind<One>
  readonly templateId: string
}

const Workspaces = <One extends Template>({
  kind,
  template
}: Pick<TemplateScreenProps<One>, "kind"> & { template: One }) => {
  const session = useSession()
  const { ended_at, workspaces_total } = template.spread
  // Part of the query's key: read anew with each version, and once that has reached all workspaces.
  const state = `${template.version} ${workspaces_total} ${ended_at}`
  const list = usePages(templateWorkspacesQuery(session, kind.calls, template.id, state))
  return (
    <List
      label="Workspaces"
      list={list}
      columns={workspaceColumns(session.workspaces, template.version)}
      keyOf={({ workspace_id }) => workspace_id}
      empty={<Empty sentence="No workspace has it yet." />}
    />
  )
}

/** A template: what can be done to it, and what each workspace has of it. */
export const TemplateScreen = <One extends Template>({ kind, templateId }: TemplateScreenProps<One>) => {
  const session = useSession()
  const navigate = useNavigate()
  const { data: template, error, refetch } = useQuery(templateQuery(session, kind.calls, templateId))
  const { dialog, menu } = useTemplateActions(kind, () => navigate({ to: `/organization/${kind.calls.kind}` }))
  if (template === undefined) {
    if (error === null) return <Skeleton />
    return (
      <Screen title="Template">
        <div className="p-4">
          <ProblemNotice error={error} onRetry={() => void refetch()} />
        </div>
      </Screen>
    )
  }
  return (
    <Screen
      title={template.name}
      bar={
        <>
          <CopyId id={template.id} label="template" />
          <span className="text-muted">Version {template.version}</span>
          <span role="status">
            <Spread {...template.spread} />
          </span>
          {menu(template)}
        </>
      }
    >
      <Workspaces kind={kind} template={template} />
      {dialog}
    </Screen>
  )
}
