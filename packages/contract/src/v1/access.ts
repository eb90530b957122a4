/** Who may call an endpoint, declared once beside it. */
import type { Scope } from "@agent-platform/keys"
import { Context } from "effect"

/**
 * What an endpoint acts on. `workspace`: the caller's workspace, which an organization key names by `X-Workspace-Id`.
 * `organization`: only an organization key may call it. `caller`: the caller alone.
 */
export type Reach = "workspace" | "organization" | "caller"

/** The scope that an endpoint demands; null where every valid credential will do. */
export interface EndpointAccess {
  readonly reach: Reach
  readonly scope: Scope | null
}

/** The annotation that every endpoint carries; authentication refuses to serve one without it. */
export class Access extends Context.Service<Access, EndpointAccess>()("@agent-platform/contract/Access") {}

/** The annotation of an endpoint whose answer may be delayed on purpose, by up to `WAIT_SECONDS_MAX`. */
export class MayWait extends Context.Service<MayWait, true>()("@agent-platform/contract/MayWait") {}

/** The annotation of an endpoint that answers in other formats than JSON, or in more: all of them, the default first. */
export class Formats extends Context.Service<Formats, ReadonlyArray<string>>()("@agent-platform/contract/Formats") {}
