import { Context } from "effect"

/** Facts that come to light while a request is answered, for its line in the log and its figures. */
export interface Noted {
  workspaceId: string | undefined
  /** Of the API key that it was made with. */
  keyId: string | undefined
  /** The person whose session it was made in. */
  userId: string | undefined
  /** For how long it waited because its caller asked for that. */
  waitedSeconds: number
}

/** Nothing is known as yet. */
export const noted = (): Noted => ({ workspaceId: undefined, keyId: undefined, userId: undefined, waitedSeconds: 0 })

/** Facts about a request that every answer needs. */
export interface RequestInfo {
  /** As on the response, in the logs and in a problem. */
  readonly requestId: string
  /** The path as it may be shown: nothing in it is the caller's own but ids. */
  readonly instance: string
  /** Where the service is, for the pages about problems. */
  readonly baseUrl: string
}

/** A request that is being answered. */
export interface RequestUnderWay extends RequestInfo {
  readonly noted: Noted
}

/** The current request. The edge provides it before anything else happens. */
export const CurrentRequest = Context.Reference<RequestUnderWay>("@agent-platform/api/CurrentRequest", {
  defaultValue: () => ({ requestId: "", instance: "/", baseUrl: "", noted: noted() })
})
