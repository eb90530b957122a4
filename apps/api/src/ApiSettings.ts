import type { RateLimit } from "@agent-platform/keys"
import { Context, type Redacted } from "effect"
import type { IpNetwork } from "effect/net"
import type { StreamLimits } from "./LongAnswers.ts"

/** The settings of the API in its deployment. */
export class ApiSettings extends Context.Service<
  ApiSettings,
  {
    /** The URL of the service, without a slash at the end. */
    readonly baseUrl: string
    /** The URL of the dashboard, to which a login leads. */
    readonly dashboardUrl: string
    /** Other origins than the dashboard's whose pages may call with a key of their own. */
    readonly corsOrigins: ReadonlyArray<string>
    /** The networks of the proxies whose X-Forwarded-For is trusted. */
    readonly trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
    /** The rate limit of each workspace; null for none. */
    readonly workspaceRateLimit: RateLimit | null
    /** How many streams and waiting requests may be open. */
    readonly streams: StreamLimits
    /** How long the service still serves after it was asked to stop, so that proxies notice. */
    readonly drainSeconds: number
    /** The key that signs cursors. All processes of a deployment have the same one. */
    readonly cursorKey: Redacted.Redacted
  }
>()("@agent-platform/api/ApiSettings") {}
