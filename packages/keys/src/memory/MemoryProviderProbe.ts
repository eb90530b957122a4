import { UrlNotPublic } from "@agent-platform/kernel"
import { Context, Effect, Layer } from "effect"
import type { ProbeOutcome } from "../ProviderKeyHealth.ts"
import { type ProbeQuestion, ProviderProbe } from "../ports/ProviderProbe.ts"

/** The questions that providers were asked in memory, oldest first, and their answers. */
export class MemoryProviderProbe extends Context.Service<
  MemoryProviderProbe,
  {
    readonly questions: ReadonlyArray<ProbeQuestion>
    /** Sets the answer to every question from now on. At the start every key is accepted. */
    readonly answerWith: (answer: (question: ProbeQuestion) => Effect.Effect<ProbeOutcome>) => void
  }
>()("@agent-platform/keys/MemoryProviderProbe") {}

/** Records questions instead of asking them. Admits HTTPS URLs except those whose host ends in `.internal`. */
export const layerProviderProbe: Layer.Layer<ProviderProbe | MemoryProviderProbe> = Layer.unwrap(
  Effect.sync(() => {
    const questions: Array<ProbeQuestion> = []
    let answer: (question: ProbeQuestion) => Effect.Effect<ProbeOutcome> = () => Effect.succeed({ type: "accepted" })
    return Layer.merge(
      Layer.succeed(MemoryProviderProbe, {
        questions,
        answerWith: (next) => {
          answer = next
        }
      }),
      Layer.succeed(ProviderProbe, {
        admit: (baseUrl) =>
          /^https:\/\/[^/]+/.test(baseUrl) && !/^https:\/\/[^/]*\.internal(\/|$)/.test(baseUrl)
            ? Effect.void
            : Effect.fail(new UrlNotPublic({ detail: "The URL is not HTTPS at a public address" })),
        probe: (question) =>
          Effect.suspend(() => {
            questions.push(question)
            return answer(question)
          })
      })
    )
  })
)
