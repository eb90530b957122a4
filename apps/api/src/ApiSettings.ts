import { Context, type Redacted } from "effect"

/** What the interface needs to know of its deployment. */
export class ApiSettings extends Context.Service<
  ApiSettings,
  {
    /** Where callers reach the service, without a slash at the end. */
    readonly baseUrl: string
    /** Signs cursors. The same in every process of a deployment. */
    readonly cursorKey: Redacted.Redacted
  }
>()("@agent-platform/api/ApiSettings") {}
