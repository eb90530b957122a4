/** What many ask for at the same moment, done together. */
import { Effect, type Fiber } from "effect"

/** How things are done together. */
export interface BatcherOptions<Item, A, R> {
  /** Most items of a group. */
  readonly itemsMax: number
  /** Most groups that are under way at a time. */
  readonly groupsMax: number
  /** Does the items of a group, and answers for each of them, in their order, what came of it. */
  readonly together: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<A>, never, R>
}

/** Items that are done together. Nobody is left waiting for a group whose fiber is interrupted. */
interface Group {
  waiting: number
  fiber: Fiber.Fiber<void> | undefined
}

interface Asked<Item, A> {
  readonly item: Item
  readonly answer: (done: Effect.Effect<A>) => void
  group: Group | undefined
  isWaiting: boolean
}

/**
 * Does one thing, together with all that are asked for in the same turn of the runtime, or while as many groups as may be are
 * under way: nobody waits for company. A group whose effect dies, dies for each who asked. Who is interrupted before the group
 * begins is left out; after that the group goes on for the others, and is interrupted when nobody waits for it any more. It
 * belongs to no one's trace and has the services of when this was made.
 */
export const makeBatcher = <Item, A, R>({
  groupsMax,
  itemsMax,
  together
}: BatcherOptions<Item, A, R>): Effect.Effect<(item: Item) => Effect.Effect<A>, never, R> =>
  Effect.map(Effect.context<R>(), (context) => {
    let asking: Array<Asked<Item, A>> = []
    let groups = 0
    /** Whether a group is to begin when this turn is over. */
    let isGathering = false

    const act = (group: Group) =>
      Effect.suspend(() => {
        isGathering = false
        const all = asking.filter(({ isWaiting }) => isWaiting)
        const asked = all.slice(0, itemsMax)
        asking = all.slice(itemsMax)
        proceed()
        if (asked.length === 0) return Effect.void
        for (const one of asked) one.group = group
        group.waiting = asked.length
        return Effect.matchCause(
          Effect.suspend(() => together(asked.map(({ item }) => item))),
          {
            onFailure: (cause) => {
              for (const { answer } of asked) answer(Effect.failCause(cause))
            },
            onSuccess: (done) => {
              asked.forEach(({ answer }, place) => {
                answer(Effect.succeed(done[place] as A))
              })
            }
          }
        )
      })

    const proceed = () => {
      if (isGathering || groups >= groupsMax || asking.length === 0) return
      isGathering = true
      groups++
      const group: Group = { waiting: 0, fiber: undefined }
      group.fiber = Effect.runForkWith(context)(Effect.andThen(Effect.yieldNow, act(group)))
      group.fiber.addObserver(() => {
        groups--
        proceed()
      })
    }

    return (item) =>
      Effect.callback<A>((answer) => {
        const one: Asked<Item, A> = { item, answer, group: undefined, isWaiting: true }
        asking.push(one)
        proceed()
        return Effect.sync(() => {
          one.isWaiting = false
          if (one.group !== undefined && --one.group.waiting === 0) one.group.fiber?.interruptUnsafe()
        })
      })
  })
