/** A webhook as the listener of `npm start` has received it. */
export interface Received {
  readonly id: string
  readonly received_at: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Whether its event is of this workspace, or names none that exists: those of the organization and tests. */
export const concerns = ({ body }: Pick<Received, "body">, workspaceId: string | undefined): boolean => {
  try {
    const { data } = JSON.parse(body)
    return data.test === true || data.workspace_id === undefined || data.workspace_id === workspaceId
  } catch {
    // The listener keeps whatever it is sent.
    return true
  }
}
