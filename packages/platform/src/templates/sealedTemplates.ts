import { type SealedValues, TemplateId, TemplateStore, templatePlace } from "@agent-platform/kernel"
import { Effect } from "effect"

/** The values of all templates, for when the key that seals them changes. */
export const sealedTemplates: Effect.Effect<SealedValues, never, TemplateStore> = Effect.map(
  TemplateStore,
  (store) => ({
    name: "templates",
    page: (after, limit) =>
      Effect.map(store.everyValue(after === undefined ? undefined : TemplateId.make(after), limit), (found) =>
        found.map(({ sealed, template }) => ({ position: template.id, place: templatePlace(template), sealed }))
      ),
    replace: store.replaceSealed
  })
)
