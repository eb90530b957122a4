/** The memory of this tab alone: nothing of it outlives the tab, and no other tab sees it. */
const KEY = "agent-platform.key"
const WORKSPACE = "agent-platform.workspace"
const TRIAL = "agent-platform.trial"

const item = (name: string) => ({
  read: () => sessionStorage.getItem(name) ?? undefined,
  write: (value: string) => sessionStorage.setItem(name, value),
  clear: () => sessionStorage.removeItem(name)
})

/** The API key that this tab calls with: a pasted one, or that of a start link. */
export const storedKey = item(KEY)

/** The workspace that was chosen. */
export const storedWorkspace = item(WORKSPACE)

/** The means of the first steps that the link of `npm start` gave, as JSON. */
export const storedTrial = item(TRIAL)
