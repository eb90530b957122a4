import type { Member } from "@agent-platform/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { membersQuery, removeMember } from "../../api/organization.ts"
import { usePages } from "../../api/usePages.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { List } from "../../ui/List.tsx"
import { RowMenu } from "../../ui/RowMenu.tsx"
import { Screen } from "../../ui/Screen.tsx"
import { MemberDialog } from "./MemberDialog.tsx"
import { memberColumns } from "./memberColumns.tsx"
import { OrganizationTabs } from "./OrganizationTabs.tsx"

/** The members of the organization, with their invitations and roles. */
export const Members = () => {
  const session = useSession()
  const queries = useQueryClient()
  const list = usePages(membersQuery(session))
  const [isNew, setNew] = useState(false)
  const [changed, setChanged] = useState<Member>()
  const [removed, setRemoved] = useState<Member>()
  const remove = useMutation({
    mutationFn: (id: string) => removeMember(session, id),
    onSuccess: async () => {
      setRemoved(undefined)
      await queries.invalidateQueries({ queryKey: membersQuery(session).queryKey })
    }
  })
  const actions = (member: Member) => (
    <RowMenu
      name={member.email}
      items={[
        { label: member.status === "joined" ? "Change the roles" : "Invite again", onSelect: () => setChanged(member) },
        {
          label: member.status === "joined" ? "Remove" : "Take the invitation back",
          onSelect: () => setRemoved(member)
        }
      ]}
    />
  )
  return (
    <Screen
      title="Organization"
      bar={
        <>
          <OrganizationTabs />
          {session.can("org:admin") && (
            <Button kind="primary" onClick={() => setNew(true)}>
              <Icon name="plus" />
              Invite
            </Button>
          )}
        </>
      }
    >
      <List
        label="Members"
        list={list}
        columns={memberColumns(session.workspaces, actions)}
        keyOf={({ id }) => id}
        empty={<Empty sentence="Nobody is a member yet: invite somebody by their email address." />}
      />
      {isNew && <MemberDialog onClose={() => setNew(false)} />}
      {changed && <MemberDialog before={changed} onClose={() => setChanged(undefined)} />}
      <Confirm
        open={removed !== undefined}
        onOpenChange={(open) => !open && setRemoved(undefined)}
        title={`Remove ${removed?.email ?? ""}?`}
        action="Remove"
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => removed && remove.mutate(removed.id)}
      >
        Their sessions are refused from the next request on; an invitation is taken back.
      </Confirm>
    </Screen>
  )
}
