/** Reads and changes the organization: its members and its workspaces. */
import type { NewMember, NewWorkspace, WorkspaceChange } from "@agent-platform/client"
import { infiniteQueryOptions } from "@tanstack/react-query"
import type { Session } from "../session/Session.ts"
import { PAGE_SIZE, paging } from "./usePages.ts"

/** The members, those who are only invited too. */
export const membersQuery = ({ client }: Session) =>
  infiniteQueryOptions({
    queryKey: ["members"],
    queryFn: ({ pageParam, signal }) =>
      client.members.listMembers({ query: { limit: PAGE_SIZE, cursor: pageParam }, signal }),
    ...paging
  })

/** Invites somebody, or gives a member other roles. */
export const inviteMember = ({ client }: Session, body: NewMember) => client.members.inviteMember({ body })

/** Ends a membership, or takes an invitation back. */
export const removeMember = ({ client }: Session, memberId: string) =>
  client.members.removeMember({ params: { member_id: memberId } })

/** All workspaces of the organization. */
export const workspacesQuery = ({ client }: Session) =>
  infiniteQueryOptions({
    queryKey: ["workspaces"],
    queryFn: ({ pageParam, signal }) =>
      client.workspaces.listWorkspaces({ query: { limit: PAGE_SIZE, cursor: pageParam }, signal }),
    ...paging
  })

/** Makes a workspace. */
export const createWorkspace = ({ client }: Session, body: NewWorkspace) => client.workspaces.createWorkspace({ body })

/** Changes a workspace. */
export const updateWorkspace = ({ client }: Session, workspaceId: string, body: WorkspaceChange) =>
  client.workspaces.updateWorkspace({ params: { workspace_id: workspaceId }, body })
