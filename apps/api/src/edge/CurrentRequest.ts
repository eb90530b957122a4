import { Context } from "effect"

/** Facts about a request that every answer needs. */
export interface RequestInfo {
  /** As on the response, in the logs and in a problem. */
  readonly requestId: string
  /** The path as it may be shown: nothing in it is the caller's own but ids. */
  readonly instance: string
  /** Where the service is, for the pages about problems. */
  readonly baseUrl: string
}

/** The current request. The edge provides it before anything else happens. */
export const CurrentRequest = Context.Reference<RequestInfo>("@agent-platform/api/CurrentRequest", {
  defaultValue: () => ({ requestId: "", instance: "/", baseUrl: "" })
})
