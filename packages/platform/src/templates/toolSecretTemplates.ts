import type { Template } from "@agent-platform/kernel"
import {
  admitTokenUrl,
  ToolSecretMismatch,
  type ToolSecretSettings,
  toolSecretSettings,
  toolSecretSettingsJson
} from "@agent-platform/keys"
import { Effect, type Redacted } from "effect"
import type { CreateTemplate, UpdateTemplate } from "./changeTemplates.ts"

/** Changes of a template of tool secrets; an undefined member stays as it is. */
export interface ToolSecretTemplateChange {
  readonly name?: string | undefined
  readonly oauth?: { readonly clientId?: string | undefined; readonly scope?: string | null | undefined } | undefined
  readonly value?: Redacted.Redacted | undefined
  readonly clientSecret?: Redacted.Redacted | undefined
}

/** The parts of the creation of such a template that are of its kind. */
export const newToolSecretTemplate = (
  settings: ToolSecretSettings
): Pick<CreateTemplate, "kind" | "settings" | "admit"> => ({
  kind: "tool_secret",
  settings: toolSecretSettingsJson(settings),
  admit: settings.oauth === null ? Effect.void : admitTokenUrl(settings.oauth.tokenUrl)
})

/** The same of a change of one. A change that does not go with what it sends fails with ToolSecretMismatch. */
export const changedToolSecretTemplate = ({
  clientSecret,
  name,
  oauth,
  value
}: ToolSecretTemplateChange): Pick<UpdateTemplate, "change" | "value"> => ({
  value: value ?? clientSecret,
  change: (json) => {
    const settings = toolSecretSettings({ settings: json })
    const hasOAuth = settings.oauth !== null
    const misplaced = hasOAuth ? value : (oauth ?? clientSecret)
    if (misplaced !== undefined) return Effect.fail(new ToolSecretMismatch({ hasOAuth }))
    const client = settings.oauth && {
      ...settings.oauth,
      clientId: oauth?.clientId ?? settings.oauth.clientId,
      scope: oauth?.scope === undefined ? settings.oauth.scope : oauth.scope
    }
    return Effect.succeed(toolSecretSettingsJson({ ...settings, name: name ?? settings.name, oauth: client }))
  }
})

/** The settings of a template of this kind. */
export const toolSecretTemplate = (template: Pick<Template, "settings">): ToolSecretSettings =>
  toolSecretSettings(template)
