import { useSession, useSessionActions } from "../session/SessionContext.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Menu } from "../ui/Menu.tsx"

/** Says in which workspace one is, and leads to the others. */
export const WorkspaceMenu = () => {
  const { me, workspace, workspaces } = useSession()
  const { choose } = useSessionActions()
  const name = workspace?.name ?? me.organization.name
  return (
    <Menu
      label="Workspace"
      triggerClassName="flex min-h-[40px] min-w-0 items-center max-md:flex-1 gap-2 rounded-md px-2 py-1 text-left hover:bg-hover"
      trigger={
        <>
          <span className="min-w-0 flex-1">
            <span className="block truncate font-semibold">{name}</span>
            <span className="block truncate text-xs text-muted">{me.organization.name}</span>
          </span>
          <Icon name="chevron" />
        </>
      }
      items={workspaces.map(({ id, name: label, role }) => ({
        label,
        detail: role ?? "",
        ...(id === workspace?.id ? { icon: <Icon name="check" /> } : {}),
        onSelect: () => void choose(id)
      }))}
    />
  )
}
