import { Context } from "effect"

/** Facts that are learned while a request is handled, for its line in the log and its metrics. */
export interface Noted {
  workspaceId: string | undefined
  /** The id of the API key that made the request. */
  keyId: string | undefined
  /** The id of the person whose session made the request. */
  userId: string | undefined
  /** How long the request waited because its caller asked for a wait. */
  waitedSeconds: number
}

/** A fresh record, in which nothing is known yet. */
export const nothingNoted = (): Noted => ({
  workspaceId: undefined,
  keyId: undefined,
  userId: undefined,
  waitedSeconds: 0
})

/** Facts about a request that every response needs. */
export interface RequestInfo {
  /** The id on the response, in the logs and in a problem. */
  readonly requestId: string
  /** The path as it may be shown: of the caller's own text it has only ids. */
  readonly instance: string
  /** The URL of the service, for links to the pages about problems. */
  readonly baseUrl: string
}

/** A request that is being handled. */
export interface RequestUnderWay extends RequestInfo {
  readonly noted: Noted
}

/** The current request. The edge provides it before anything else happens. */
export const CurrentRequest = Context.Reference<RequestUnderWay>("@agent-platform/api/CurrentRequest", {
  defaultValue: () => ({ requestId: "", instance: "/", baseUrl: "", noted: nothingNoted() })
})
