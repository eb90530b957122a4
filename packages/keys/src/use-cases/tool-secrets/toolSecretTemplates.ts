import type { TemplateBefore, TemplateContent } from "@agent-platform/kernel"
import { Effect, type Redacted } from "effect"
import { ToolSecretMismatch } from "../../ToolSecret.ts"
import { type ToolSecretSettings, toolSecretSettings, toolSecretSettingsJson } from "../../ToolSecretTemplate.ts"
import { admitTokenUrl } from "./createToolSecret.ts"

/** Changes of a template of tool secrets; an undefined member stays as it is. */
export interface ToolSecretTemplateChange {
  readonly name?: string | undefined
  readonly oauth?: { readonly clientId?: string | undefined; readonly scope?: string | null | undefined } | undefined
  readonly value?: Redacted.Redacted | undefined
  readonly clientSecret?: Redacted.Redacted | undefined
}

/** The content of a new template. Fails with UrlNotPublic where the token URL may not be called. Not to be made in a transaction. */
export const newToolSecretTemplate = ({
  value,
  ...settings
}: ToolSecretSettings & { readonly value: Redacted.Redacted }) =>
  Effect.as(settings.oauth === null ? Effect.void : admitTokenUrl(settings.oauth.tokenUrl), {
    settings: toolSecretSettingsJson(settings),
    value,
    shown: null
  } satisfies TemplateContent)

/**
 * A template's content after a change. Fails with ToolSecretMismatch for a new `value` where access tokens of an OAuth client are sent,
 * and for a change of a client or its secret where there is none.
 */
export const changedToolSecretTemplate =
  ({ clientSecret, name, oauth, value }: ToolSecretTemplateChange) =>
  (before: TemplateBefore): Effect.Effect<TemplateContent, ToolSecretMismatch> => {
    const settings = toolSecretSettings(before)
    const hasOAuth = settings.oauth !== null
    const misplaced = hasOAuth ? value : (oauth ?? clientSecret)
    if (misplaced !== undefined) return Effect.fail(new ToolSecretMismatch({ hasOAuth }))
    const client = settings.oauth && {
      ...settings.oauth,
      clientId: oauth?.clientId ?? settings.oauth.clientId,
      scope: oauth?.scope === undefined ? settings.oauth.scope : oauth.scope
    }
    const after = toolSecretSettingsJson({ ...settings, name: name ?? settings.name, oauth: client })
    return Effect.succeed({ settings: after, value: value ?? clientSecret, shown: null })
  }
