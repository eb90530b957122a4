import { type Actor, recordActivity, type Template } from "@agent-platform/kernel"

const WORDS = { created: "created", updated: "changed", deleted: "deleted" } as const

const KINDS = { agent: "agent", provider_key: "provider key", tool_secret: "tool secret" } as const satisfies Record<
  Template["kind"],
  string
>

/** Records an act on a template in the organization's feed. The entry says whether the template got a new value, and nothing of the value. */
export const recordTemplate = (
  verb: keyof typeof WORDS,
  actor: Actor,
  { id, kind, organizationId, settings, version }: Template,
  hasNewValue = false
) => {
  const name = typeof settings["name"] === "string" ? settings["name"] : ""
  return recordActivity({
    organizationId,
    workspaceId: null,
    action: `template.${verb}`,
    actor,
    summary: `${actor.label} ${WORDS[verb]} the template '${name}' of the ${KINDS[kind]}s of workspaces`,
    resourceType: "template",
    resourceId: id,
    payload: { kind, name, version, renewed: hasNewValue }
  })
}
