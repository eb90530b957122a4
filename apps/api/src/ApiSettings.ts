import type { RateLimit } from "@agent-platform/keys"
import { Context, type Redacted } from "effect"
import type { IpNetwork } from "effect/net"
import type { StreamLimits } from "./LongAnswers.ts"

/** The API's facts about its deployment. */
export class ApiSettings extends Context.Service<
  ApiSettings,
  {
    /** Where callers reach the service, without a slash at the end. */
    readonly baseUrl: string
    /** Where people work with the service, and where a login leads. */
    readonly dashboardUrl: string
    /** The origins beside the dashboard's whose pages may call with a key of their own. */
    readonly corsOrigins: ReadonlyArray<string>
    /** The networks of the proxies that are believed when they say whom a request came from. */
    readonly trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
    /** How often each workspace may call; null for as often as it likes. */
    readonly workspaceRateLimit: RateLimit | null
    /** How many streams and waiting answers may be open. */
    readonly streams: StreamLimits
    /** How long the service goes on after it was asked to stop, so that its callers learn of it. */
    readonly drainSeconds: number
    /** Signs cursors. The same in every process of a deployment. */
    readonly cursorKey: Redacted.Redacted
  }
>()("@agent-platform/api/ApiSettings") {}
