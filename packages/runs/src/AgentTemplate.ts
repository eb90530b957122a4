/** A template of agents: the settings that an agent of each workspace follows, and the secrets that they share. */
import type { Template } from "@agent-platform/kernel"
import { Redacted, Schema } from "effect"
import type { AgentSettings, McpServer } from "./Agent.ts"
import { storable } from "./storable.ts"

/** The settings of such a template. Its secrets are apart: `AgentTemplateSecrets`. */
export interface AgentTemplateSettings extends Omit<AgentSettings, "endpoint" | "mcpServers"> {
  readonly endpoint: { readonly url: string } | null
  readonly mcpServers: ReadonlyArray<Pick<McpServer, "name" | "url" | "tools"> & { readonly hasHeaders: boolean }>
}

/** The secrets of such a template, which are its sealed value. For each of its agents they are sealed anew. */
export interface AgentTemplateSecrets {
  /** The signing secrets of the endpoint, which all agents of the template share; null where there is no endpoint. */
  readonly endpoint: {
    readonly secret: string
    /** The secret before it, until an ISO time. */
    readonly retiring: { readonly secret: string; readonly expiresAt: string } | null
  } | null
  /** The headers of servers of tools that have some, by the servers' names. */
  readonly headers: Readonly<Record<string, Readonly<Record<string, string>>>>
}

const NO_SECRETS: AgentTemplateSecrets = { endpoint: null, headers: {} }

const Secrets = Schema.fromJsonString(
  Schema.Struct({
    endpoint: Schema.NullOr(
      Schema.Struct({
        secret: Schema.String,
        retiring: Schema.NullOr(Schema.Struct({ secret: Schema.String, expiresAt: Schema.String }))
      })
    ),
    headers: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.String))
  })
)

const decode = Schema.decodeUnknownSync(Secrets)

/** The settings of a template of agents. They are the JSON that `agentTemplateSettingsJson` has made. */
export const agentTemplateSettings = ({ settings }: Pick<Template, "settings">): AgentTemplateSettings =>
  settings as unknown as AgentTemplateSettings

/** The settings as the JSON that a template keeps. */
export const agentTemplateSettingsJson = (settings: AgentTemplateSettings): Schema.JsonObject =>
  storable(settings as unknown as Schema.JsonObject)

/** The secrets in a template's value. */
export const agentTemplateSecrets = (value: Redacted.Redacted | null): AgentTemplateSecrets =>
  value === null ? NO_SECRETS : decode(Redacted.value(value))

/** The value that holds these secrets; null where there are none. */
export const agentTemplateValue = (secrets: AgentTemplateSecrets): Redacted.Redacted | null =>
  secrets.endpoint === null && Object.keys(secrets.headers).length === 0 ? null : Redacted.make(JSON.stringify(secrets))
