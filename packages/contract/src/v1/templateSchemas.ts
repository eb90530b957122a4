/** Templates of an organization on the wire, as far as those of all kinds are alike. */
import { TemplateFault } from "@agent-platform/kernel"
import { Schema } from "effect"
import { count, id, nullableId, pageFields, time } from "./formats.ts"
import { wire } from "./wire.ts"

/** How far a template's latest version has come. */
const TemplateSpread = wire(
  {
    workspacesDone: count("Workspaces that were gone through"),
    workspacesTotal: count("Workspaces there are to go through"),
    endedAt: Schema.NullOr(time("When the last workspace had it; null while it is under way"))
  },
  { identifier: "TemplateSpread", description: "How far the latest version of a template has come" }
)

/** The members of every template beside its settings. */
export const templateFields = {
  id: id("The template's id"),
  version: count("Counts the changes of the template. For `If-Match`"),
  createdAt: time("When the template was made"),
  updatedAt: time("When it was last changed"),
  spread: TemplateSpread
}

/** The parts of workspaces in a template. */
export const TemplateWorkspacePage = wire(
  pageFields(
    wire(
      {
        workspaceId: id("The workspace"),
        resourceId: nullableId(
          "Its agent, provider key or tool secret that follows the template; null where it has none"
        ),
        version: count("The version of the template that it has, or that was tried last where it has none"),
        overridden: Schema.Array(Schema.String).annotate({
          description:
            "The members that the workspace has set for itself, such as `name`, which the template does not change any more; `deleted` " +
            "where it has deleted or revoked its own"
        }),
        fault: Schema.NullOr(TemplateFault).annotate({
          description:
            "Why it has none: `taken` where it has a tool secret of its own with that name, or for that header and host pattern; " +
            "`quota_exceeded` where it has as many as it may have; `revoked` where the template was revoked before. Or why it is behind: " +
            "`conflict` where an agent's own settings do not go with those of the template. Tried again with the next version"
        })
      },
      { identifier: "TemplateWorkspace", description: "A workspace's part in a template" }
    )
  ),
  {
    identifier: "TemplateWorkspacePage",
    description: "The parts of workspaces in a template, in the order of their ids"
  }
)

/** A template that is gone. */
export const DeletedTemplate = wire(
  { id: id("The template's id"), status: Schema.Literal("deleted") },
  { identifier: "DeletedTemplate", description: "A template that was deleted with its value" }
)
