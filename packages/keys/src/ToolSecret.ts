/** A credential of a workspace for the hosts that its agents' tools call: everything known of it beside its value. */
import { type Actor, type OrganizationId, Uuid, type WorkspaceId } from "@agent-platform/kernel"
import { type DateTime, Equal, Schema } from "effect"
import type { HostPattern } from "./HostPattern.ts"

export const ToolSecretId = Uuid.pipe(Schema.brand("ToolSecretId"))
export type ToolSecretId = typeof ToolSecretId.Type

/** How a client shows its secret to the token endpoint, as OpenID Connect names it. */
export const ClientAuthMethod = Schema.Literals(["client_secret_basic", "client_secret_post"])
export type ClientAuthMethod = typeof ClientAuthMethod.Type

/** A client of an authorization server, whose access tokens are sent instead of its secret. RFC 6749, section 4.4. */
export interface OAuthClient {
  readonly tokenUrl: string
  readonly clientId: string
  /** The scopes that are asked for, with spaces between them; null asks for those that the server gives by itself. */
  readonly scope: string | null
  readonly authMethod: ClientAuthMethod
}

/** Everything about a secret but its value: what the header holds, or the secret of the client. */
export interface ToolSecret {
  readonly id: ToolSecretId
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  /** Unique in the workspace. */
  readonly name: string
  readonly hostPattern: HostPattern
  /** The header that it is sent in, in lower case. No other secret of the workspace has the same header and pattern. */
  readonly header: string
  /** Null where the value is sent as it is. */
  readonly oauth: OAuthClient | null
  /** From 1, one more with every change. */
  readonly version: number
  readonly createdAt: DateTime.Utc
  readonly createdBy: Actor
  readonly updatedAt: DateTime.Utc
}

/** The header that access tokens are sent in. */
export const OAUTH_HEADER = "authorization"

/** The longest value, in characters. */
export const TOOL_SECRET_LENGTH_MAX = 4_096

/** The shortest value, without the scheme in front of it: a shorter one could not be kept out of what a run leaves behind. */
export const TOOL_SECRET_LENGTH_MIN = 8

/** No such secret in the caller's workspace. */
export class ToolSecretNotFound extends Schema.TaggedError<ToolSecretNotFound>()("ToolSecretNotFound", {}) {}

/** Another secret of the workspace has the name, or the header and the pattern. */
export class ToolSecretTaken extends Schema.TaggedError<ToolSecretTaken>()("ToolSecretTaken", {
  by: Schema.Literals(["name", "host_pattern"])
}) {}

/** Somebody has changed the secret since the version that the caller had seen. */
export class ToolSecretChanged extends Schema.TaggedError<ToolSecretChanged>()("ToolSecretChanged", {
  version: Schema.Int
}) {}

/** A change of an OAuth client where there is none, or of a header's value where tokens are sent. */
export class ToolSecretMismatch extends Schema.TaggedError<ToolSecretMismatch>()("ToolSecretMismatch", {
  hasOAuth: Schema.Boolean
}) {}

/** The value of a secret that is needed does not open: it was sealed under a key that this deployment has not got, or was altered. */
export class ToolSecretUnreadable extends Schema.TaggedError<ToolSecretUnreadable>()("ToolSecretUnreadable", {
  name: Schema.String
}) {}

/** The place that a value is sealed for: in a row that is moved, or said to be for another host or header, it does not open. */
export const toolSecretPlace = (
  secret: Pick<ToolSecret, "header" | "hostPattern" | "id" | "oauth" | "workspaceId">
): string =>
  `tool_secret/${secret.workspaceId}/${secret.id}/${secret.header}/${secret.hostPattern}/${secret.oauth?.tokenUrl ?? ""}`

/** The changes of a secret. Host, header and token URL never change, so that nobody can have an unknown value sent elsewhere. */
export interface ToolSecretChange {
  readonly name?: string | undefined
  readonly oauth?: { readonly clientId?: string | undefined; readonly scope?: string | null | undefined } | undefined
}

/** The secret after a change: one version further, unless nothing is different. */
export const changedToolSecret = (
  secret: ToolSecret,
  { name = secret.name, oauth }: ToolSecretChange,
  hasNewValue: boolean,
  now: DateTime.Utc
): ToolSecret => {
  const client = secret.oauth && {
    ...secret.oauth,
    clientId: oauth?.clientId ?? secret.oauth.clientId,
    scope: oauth?.scope === undefined ? secret.oauth.scope : oauth.scope
  }
  const after: ToolSecret = { ...secret, name, oauth: client }
  return !hasNewValue && Equal.equals(after, secret)
    ? secret
    : { ...after, version: secret.version + 1, updatedAt: now }
}

/** The members in which two states of a secret differ, by their names on the wire, with `value` for a new value. */
export const changedMembers = (before: ToolSecret, after: ToolSecret, hasNewValue: boolean): ReadonlyArray<string> => [
  ...(after.name === before.name ? [] : ["name"]),
  ...(after.oauth?.clientId === before.oauth?.clientId ? [] : ["oauth.client_id"]),
  ...(after.oauth?.scope === before.oauth?.scope ? [] : ["oauth.scope"]),
  ...(hasNewValue ? ["value"] : [])
]
