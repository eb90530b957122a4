import { admitUrl } from "@agent-platform/kernel/memory"
import { Context, Effect, Layer } from "effect"
import { type ProbeQuestion, ProviderProbe } from "../ports/ProviderProbe.ts"

/** The questions that `layerProviderProbe` recorded, oldest first, and the answer to the next ones. */
export class MemoryProviderProbe extends Context.Service<
  MemoryProviderProbe,
  {
    readonly questions: ReadonlyArray<ProbeQuestion>
    /** Sets the answer to every question from now on. At the start every key is accepted. */
    readonly answerWith: (answer: ProviderProbe["Service"]["probe"]) => void
  }
>()("@agent-platform/keys/MemoryProviderProbe") {}

/** Records questions instead of asking them, and admits URLs as `admitUrl` does. */
export const layerProviderProbe: Layer.Layer<ProviderProbe | MemoryProviderProbe> = Layer.unwrap(
  Effect.sync(() => {
    const questions: Array<ProbeQuestion> = []
    let answer: ProviderProbe["Service"]["probe"] = () => Effect.succeed({ type: "accepted" })
    return Layer.merge(
      Layer.succeed(MemoryProviderProbe, {
        questions,
        answerWith: (next) => {
          answer = next
        }
      }),
      Layer.succeed(ProviderProbe, {
        admit: admitUrl,
        probe: (question) =>
          Effect.suspend(() => {
            questions.push(question)
            return answer(question)
          })
      })
    )
  })
)
