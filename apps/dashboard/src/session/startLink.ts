/** Signs in by the link of `npm start`: the code in its fragment is exchanged for keys, once. */
import { storedKey, storedTrial, storedWorkspace } from "./stored.ts"

const CODE = /^#start=([\w-]{20,100})$/

/** The listener for webhooks that `npm start` has on its machine. */
export interface Listener {
  /** Receives webhooks. */
  readonly listener_url: string
  /** The path that streams what was received; a POST to it has the next test be refused. */
  readonly received_url: string
}

/** All that a start link gives for the first steps, except the key that the page calls with. */
export interface Trial extends Listener {
  /** A key for the commands that the page shows. */
  readonly workspace_key: string
  /** The workspace of that key. */
  readonly workspace_id: string
  /** The file of keys that do not end, on the machine of `npm start`. */
  readonly credentials_file: string
}

interface Exchanged extends Trial {
  readonly org_key: string
}

let code: string | undefined
let isRefused = false

/** Takes the code out of the address, before anything else sees it. A fragment is never sent to a server by the browser. */
export const takeStartLink = (): void => {
  code = CODE.exec(location.hash)?.[1]
  if (code !== undefined) history.replaceState(null, "", location.pathname + location.search)
}

/** Exchanges the code that was taken, if there was one. The tab keeps the keys as if they had been pasted. */
export const redeemStartLink = async (): Promise<void> => {
  if (code === undefined) return
  const body = JSON.stringify({ code })
  code = undefined
  const answer = await fetch("/start-link", { method: "POST", headers: { "content-type": "application/json" }, body })
  if (!answer.ok) {
    isRefused = true
    return
  }
  const { org_key, ...trial }: Exchanged = await answer.json()
  storedKey.write(org_key)
  storedWorkspace.write(trial.workspace_id)
  storedTrial.write(JSON.stringify(trial satisfies Trial))
}

/** Whether there was a link that could not be exchanged any more. */
export const isStartLinkRefused = (): boolean => isRefused

/** The means that the link gave, in the tab that it was opened in. */
export const readTrial = (): Trial | undefined => {
  const text = storedTrial.read()
  return text === undefined ? undefined : JSON.parse(text)
}

/** The key that the link gave to try commands with, where it is of this workspace. */
export const trialKeyIn = (workspaceId: string | undefined): string | undefined => {
  const trial = readTrial()
  return trial?.workspace_id === workspaceId ? trial?.workspace_key : undefined
}
