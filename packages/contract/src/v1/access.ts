/** The annotations of endpoints, declared once beside each: who may call it, in which formats it answers, how large its body may be. */
import type { Scope } from "@agent-platform/keys"
import { Context } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"

/**
 * Whose data an endpoint is about, and who may call it.
 * - `workspace`: the caller's workspace, which every credential but a workspace key names by `X-Workspace-Id`.
 * - `organization`: the organization, for its keys and for its owners and admins. `organization_key`: for its keys alone.
 * - `session`: the sessions of a person.
 * - `caller`: the caller alone, of every kind.
 * - `attempt`: the run whose attempt's token it takes, and no other credential.
 * - `public`: no tenant's data; it takes no credential.
 */
export type Reach = "workspace" | "organization" | "organization_key" | "session" | "caller" | "attempt" | "public"

/** Who may call an endpoint. */
export interface EndpointAccess {
  readonly reach: Reach
  /** The scope that it demands; null where every credential that its reach admits will do. */
  readonly scope: Scope | null
  /**
   * The parameter, of the path or of the query, by which a request names the run or the session that it is about. Browser keys reach
   * the endpoints that have this, for the one run or session that they read, and no others.
   */
  readonly browser?: "run_id" | "session_id"
}

/** The annotation that every endpoint carries; authentication refuses to serve one without it. */
export class Access extends Context.Service<Access, EndpointAccess>()("@agent-platform/contract/Access") {}

/** The annotation of an endpoint that answers in other formats than JSON, or in more: all of them, the default first. */
export class Formats extends Context.Service<Formats, ReadonlyArray<string>>()("@agent-platform/contract/Formats") {}

/** The annotation of an endpoint whose body may be larger or smaller than others: most bytes of it. */
export class BodyLimit extends Context.Service<BodyLimit, number>()("@agent-platform/contract/BodyLimit") {}

/** Most bytes of the body of an endpoint that says nothing else. */
export const BODY_BYTES_DEFAULT = 64 * 1024

/** Most bytes of a body with the input of a run, and with that of images and files beside it. */
export const RUN_BODY_BYTES_MAX = 1024 * 1024
export const CONTENT_BODY_BYTES_MAX = 5 * 1024 * 1024

/** Most bytes of a body that describes an agent, whose instructions alone may be 300 KB. */
export const AGENT_BODY_BYTES_MAX = 512 * 1024

/** Most bytes of the body of an endpoint; undefined where it takes none. */
export const bodyLimitOf = ({ annotations, payload }: HttpApiEndpoint.Top): number | undefined =>
  Context.getOrUndefined(annotations, BodyLimit) ?? (payload.size > 0 ? BODY_BYTES_DEFAULT : undefined)
