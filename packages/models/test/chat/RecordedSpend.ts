/** A guard of spending in memory: it records its calls, and refuses what a test wants refused. */
import { type ModelCall, type ModelCallEnd, SpendGuard, SpendRefused } from "@agent-platform/runs"
import { Context, Effect, Layer } from "effect"

/** A call, and how it ended; undefined while it is in flight. */
export interface RecordedCall {
  readonly call: ModelCall
  end: ModelCallEnd | undefined
  settlements: number
}

/** The guard's memory. */
export class RecordedSpend extends Context.Service<
  RecordedSpend,
  {
    readonly calls: ReadonlyArray<RecordedCall>
    /** From then on every reservation is refused like this. */
    readonly refuseWith: (errorCode: SpendRefused["errorCode"]) => void
    /** From then on no call is granted more output tokens. */
    readonly grant: (outputTokens: number) => void
    /** From then on every reservation waits for ever. */
    readonly hold: () => void
  }
>()("RecordedSpend") {}

/** The guard and its memory. Every settled call costs a cent. */
export const layerRecordedSpend = Layer.unwrap(
  Effect.sync(() => {
    const calls: Array<RecordedCall> = []
    let refusal: SpendRefused["errorCode"] | undefined
    let isHeld = false
    let granted = Number.POSITIVE_INFINITY
    return Layer.merge(
      Layer.succeed(RecordedSpend, {
        calls,
        refuseWith: (errorCode) => {
          refusal = errorCode
        },
        grant: (outputTokens) => {
          granted = outputTokens
        },
        hold: () => {
          isHeld = true
        }
      }),
      Layer.succeed(SpendGuard, {
        reserve: (call) =>
          Effect.suspend(() => {
            if (refusal !== undefined) {
              return Effect.fail(new SpendRefused({ errorCode: refusal, detail: `No: ${refusal}` }))
            }
            calls.push({ call, end: undefined, settlements: 0 })
            return isHeld ? Effect.never : Effect.succeed({ outputTokensMax: Math.min(granted, call.outputTokensMax) })
          }),
        settle: ({ id }, end) =>
          Effect.sync(() => {
            const found = calls.find(({ call }) => call.id === id)
            if (found === undefined) throw new Error("A call is settled that was never reserved")
            found.end ??= end
            found.settlements += 1
            return { costUsd: "0.01" }
          })
      })
    )
  })
)
