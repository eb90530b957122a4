/** A template of tool secrets: the settings that a secret of each workspace follows. */
import type { Template } from "@agent-platform/kernel"
import { Schema } from "effect"
import { HostPattern } from "./HostPattern.ts"
import { ClientAuthMethod, type ToolSecret } from "./ToolSecret.ts"

/** The settings of such a template. Host pattern, header and token URL never change, as in a secret. */
export type ToolSecretSettings = Pick<ToolSecret, "name" | "hostPattern" | "header" | "oauth">

const Settings = Schema.Struct({
  name: Schema.String,
  hostPattern: HostPattern,
  header: Schema.String,
  oauth: Schema.NullOr(
    Schema.Struct({
      tokenUrl: Schema.String,
      clientId: Schema.String,
      scope: Schema.NullOr(Schema.String),
      authMethod: ClientAuthMethod
    })
  )
})

const decode = Schema.decodeUnknownSync(Settings)

/** The settings in a template of tool secrets. */
export const toolSecretSettings = ({ settings }: Pick<Template, "settings">): ToolSecretSettings => decode(settings)

/** The settings as the JSON that a template keeps. */
export const toolSecretSettingsJson = ({
  header,
  hostPattern,
  name,
  oauth
}: ToolSecretSettings): Schema.JsonObject => ({
  name,
  hostPattern,
  header,
  oauth: oauth === null ? null : { ...oauth }
})
