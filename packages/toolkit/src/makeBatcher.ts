/** Calls of one moment, coalesced into batches. */
import { type Duration, Effect, type Fiber, type Tracer } from "effect"

/** The limits of batches, and the effect that is run for each. */
export interface BatcherOptions<Item, A, R> {
  /** Most items of a batch. */
  readonly itemsMax: number
  /** Most batches that are under way at a time. */
  readonly batchesMax: number
  /** Returns a result for each item of a batch, in their order. */
  readonly runBatch: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<A>, never, R>
  /** The rest after a batch that was not full and took so long, in which no other takes its place. Without it there is none. */
  readonly rest?: (took: Duration.Duration) => Effect.Effect<void>
}

/** A batch. It is interrupted when none of its callers waits any more. */
interface Batch {
  /** How many of its callers still wait. */
  waiting: number
  fiber: Fiber.Fiber<void> | undefined
}

interface Call<Item, A> {
  readonly item: Item
  /** Resumes the caller. */
  readonly answer: (result: Effect.Effect<A>) => void
  batch: Batch | undefined
  isWaiting: boolean
  /** The caller's span, where it is recorded. */
  readonly span: Tracer.AnySpan | undefined
}

/** Puts a batch into the trace of the first caller that has a span. The spans of all other callers get a link to that one. */
const traced = <A, R>(
  calls: ReadonlyArray<{ readonly span: Tracer.AnySpan | undefined }>,
  batch: Effect.Effect<A, never, R>
): Effect.Effect<A, never, R> => {
  let first: Tracer.AnySpan | undefined
  for (const { span } of calls) {
    if (span === undefined) continue
    if (first === undefined) first = span
    else if (span._tag === "Span" && span !== first) span.addLinks([{ span: first, attributes: {} }])
  }
  return first === undefined ? batch : (Effect.withParentSpan(batch, first) as Effect.Effect<A, never, R>)
}

/**
 * Runs calls in batches: those of the same turn of the runtime together, and those that come while `batchesMax` are under way
 * with the next. No call waits for others to come. A batch that dies, dies for each of its callers.
 *
 * A call that is interrupted before its batch begins is left out of it. The fiber of a batch has the services of the batcher's
 * maker; where spans are recorded, it belongs to the trace of its first caller.
 */
export const makeBatcher = <Item, A, R>({
  batchesMax,
  itemsMax,
  rest = () => Effect.void,
  runBatch
}: BatcherOptions<Item, A, R>): Effect.Effect<(item: Item) => Effect.Effect<A>, never, R> =>
  Effect.map(Effect.context<R>(), (context) => {
    let queue: Array<Call<Item, A>> = []
    let underWay = 0
    /** Whether a batch begins when this turn is over. */
    let isCollecting = false

    const run = (batch: Batch) =>
      Effect.suspend(() => {
        isCollecting = false
        const waiting = queue.filter(({ isWaiting }) => isWaiting)
        const calls = waiting.slice(0, itemsMax)
        queue = waiting.slice(itemsMax)
        // For the calls beyond `itemsMax`.
        beginBatch()
        if (calls.length === 0) return Effect.void
        for (const call of calls) call.batch = batch
        batch.waiting = calls.length
        const answered = Effect.matchCause(
          traced(
            calls,
            Effect.suspend(() => runBatch(calls.map(({ item }) => item)))
          ),
          {
            onFailure: (cause) => {
              for (const { answer } of calls) answer(Effect.failCause(cause))
            },
            onSuccess: (results) => {
              // `runBatch` returns one result for each item.
              calls.forEach(({ answer }, index) => {
                answer(Effect.succeed(results[index] as A))
              })
            }
          }
        )
        return Effect.flatMap(Effect.timed(answered), ([took]) => (calls.length < itemsMax ? rest(took) : Effect.void))
      })

    const beginBatch = () => {
      if (isCollecting || underWay >= batchesMax || queue.length === 0) return
      isCollecting = true
      underWay++
      const batch: Batch = { waiting: 0, fiber: undefined }
      // The yield lets the calls of this turn join the queue before `run` takes them from it.
      batch.fiber = Effect.runForkWith(context)(Effect.andThen(Effect.yieldNow, run(batch)))
      batch.fiber.addObserver(() => {
        underWay--
        beginBatch()
      })
    }

    return (item) =>
      Effect.withFiber((caller: Fiber.Fiber<unknown, unknown>) => {
        const span = caller.cache.span?.sampled === true ? caller.cache.span : undefined
        return Effect.callback<A>((answer) => {
          const call: Call<Item, A> = { item, answer, batch: undefined, isWaiting: true, span }
          queue.push(call)
          beginBatch()
          return Effect.sync(() => {
            call.isWaiting = false
            if (call.batch !== undefined && --call.batch.waiting === 0) call.batch.fiber?.interruptUnsafe()
          })
        })
      })
  })
