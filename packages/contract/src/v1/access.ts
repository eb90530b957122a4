/** Who may call an endpoint, declared once beside it. */
import type { Scope } from "@agent-platform/keys"
import { Context } from "effect"

/**
 * What an endpoint acts on. `workspace`: the caller's workspace, which every credential but a workspace key names by
 * `X-Workspace-Id`. `organization`: the organization, for its keys and for whoever looks after it. `organization_key`: the
 * same for its keys alone. `session`: the sessions of a person. `caller`: the caller alone, whoever it is. `public`: nothing
 * of anybody's; such an endpoint takes no credential.
 */
export type Reach = "workspace" | "organization" | "organization_key" | "session" | "caller" | "public"

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
