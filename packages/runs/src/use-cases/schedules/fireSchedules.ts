import { useCase } from "@agent-platform/toolkit"
import { Clock, DateTime, Effect } from "effect"
import { ScheduleStore, type WorkspacePlace } from "../../ports/ScheduleStore.ts"
import { makeTurns, type Turns } from "../../schedules/makeTurns.ts"
import { settleDue } from "../../schedules/settleDue.ts"

/** How many workspaces have their turn at once. */
const TURNS_AT_ONCE = 4

/** How many workspaces are read at a time. */
const PAGE = 1_000

/** How long turns go on before workspaces are looked for whose schedules have come due meanwhile. */
const LOOK_EVERY_MILLIS = 5_000

const findDue = Effect.fnUntraced(function* (turns: Turns) {
  const store = yield* ScheduleStore
  const at = yield* DateTime.now
  let after: WorkspacePlace | undefined
  while (true) {
    const page: ReadonlyArray<WorkspacePlace> = yield* store.dueWorkspaces({ at, after, limit: PAGE })
    for (const place of page) turns.add(place)
    if (page.length < PAGE) return
    after = page.at(-1)
  }
})

/**
 * Makes the runs of all schedules that are due, and returns how many. Organizations come in turn, and in each its workspaces, with a
 * few schedules a turn, so that one with very many delays none of the others. Safe to do twice and at once, and to break off anywhere:
 * each time is dealt with in one transaction.
 */
export const fireSchedules = useCase("runs.fireSchedules")(function* () {
  const turns = makeTurns()
  let runs = 0
  while (true) {
    yield* findDue(turns)
    const lookAt = (yield* Clock.currentTimeMillis) + LOOK_EVERY_MILLIS
    let settled = 0
    const work = Effect.gen(function* () {
      while ((yield* Clock.currentTimeMillis) < lookAt) {
        const workspace = turns.take()
        if (workspace === undefined) return
        const turn = yield* settleDue(workspace)
        runs += turn.runs
        settled += turn.settled
        if (!turn.isLast) turns.add(workspace)
      }
    })
    yield* Effect.all(
      Array.from({ length: TURNS_AT_ONCE }, () => work),
      { concurrency: "unbounded", discard: true }
    )
    // Another process holds all that is due still, and deals with it.
    if (settled === 0) return runs
  }
})
