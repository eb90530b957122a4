/** A webhook as the listener of `npm start` has received it. */
export interface Received {
  readonly id: string
  readonly received_at: string
  /** The status that the listener has answered. */
  readonly answered: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Whether its event is a sample, and the run that it is about, where the body says so. */
export const factsOf = ({ body }: Pick<Received, "body">): { readonly isTest: boolean; readonly runId?: string } => {
  try {
    const { data } = JSON.parse(body)
    const runId = data?.run_id
    return { isTest: data?.test === true, ...(typeof runId === "string" ? { runId } : {}) }
  } catch {
    return { isTest: false }
  }
}

/** Whether it is shown in this workspace: its event is of it, of the whole organization, or a test, whose workspace is made up. */
export const concerns = ({ body }: Pick<Received, "body">, workspaceId: string | undefined): boolean => {
  try {
    const { data } = JSON.parse(body)
    return data.test === true || data.workspace_id === undefined || data.workspace_id === workspaceId
  } catch {
    // The listener keeps whatever it is sent.
    return true
  }
}
