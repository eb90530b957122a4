/** The support table, cell by cell: every feature at every provider, on the wire that it speaks. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chatFlawOf } from "../../../src/chat/chatFlawOf.ts"
import { layerOfModels } from "../support.ts"
import { ENDINGS } from "./endings.ts"
import { type Proof, REQUESTS, SETTINGS_OF } from "./requests.ts"
import { SPOKEN } from "./subject.ts"
import { FEATURES, type Feature, SUBJECTS, type Subject } from "./table.ts"

const PROOFS: Readonly<Record<Feature, Proof>> = { ...REQUESTS, ...ENDINGS }

/** The place of the setting that an agent of the subject's model is refused for. */
const flawOf = (subject: Subject, feature: Feature) => {
  const { model, provider } = SPOKEN[subject]
  return chatFlawOf({
    model: `${provider}/${model}`,
    instructions: null,
    tools: [],
    mcpServers: [],
    modelSettings: SETTINGS_OF[feature] ?? {},
    functionTools: [],
    approvals: []
  })?.path[0]
}

for (const feature of Object.keys(FEATURES) as ReadonlyArray<Feature>) {
  const { cells, title } = FEATURES[feature]
  describe(title, () => {
    for (const subject of SUBJECTS) {
      const cell = cells[subject]
      if (cell === "422") {
        it(`${subject}: 422`, () => {
          assert.strictEqual(flawOf(subject, feature), Object.keys(SETTINGS_OF[feature] ?? {})[0])
        })
        continue
      }
      it.live(`${subject}: ${cell}`, () =>
        PROOFS[feature](subject, cell).pipe(Effect.scoped, Effect.provide(layerOfModels))
      )
    }
  })
}
