import type { Page, WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Effect } from "effect"
import { RunReader } from "../ports/RunReader.ts"
import type { Run } from "../Run.ts"
import {
  makeSearch,
  RUNS_LOOKED_AT_MAX,
  type RunFilter,
  type RunOpening,
  readPosition,
  writePosition
} from "../RunList.ts"

/** How many runs are looked at in one go while a page is searched for. */
const PORTION = 250

export interface ListRuns {
  readonly caller: WorkspaceCaller
  /** `search` is a part of the beginning of a run's message, in any case, or the beginning of its id or of its session's. */
  readonly filter: RunFilter & { readonly search?: string | undefined }
  /** `before` is the `next` of the page before. */
  readonly page: { readonly limit: number; readonly before: string | undefined }
}

/**
 * The workspace's runs that match the filter, newest first; stable while others are being triggered. With a search a page ends after
 * `RUNS_LOOKED_AT_MAX` runs, however few of them are found: its `next` goes on after them.
 */
export const listRuns = useCase("runs.listRuns")(function* ({ caller, filter, page }: ListRuns) {
  const runs = yield* RunReader
  const { search, ...others } = filter
  const pageAfter = (next: string | undefined, limit: number) => ({
    limit,
    before: next === undefined ? undefined : readPosition(next)
  })
  if (search === undefined) return yield* runs.list(caller.workspaceId, others, pageAfter(page.before, page.limit))

  const isFound = makeSearch(search)
  const found: Array<RunOpening> = []
  let next = page.before
  let lookedAt = 0
  do {
    const portion: Page<RunOpening> = yield* runs.openings(caller.workspaceId, others, pageAfter(next, PORTION))
    found.push(...portion.items.filter(({ id, opening, sessionId }) => isFound(opening, id, sessionId)))
    lookedAt += portion.items.length
    next = portion.next
  } while (next !== undefined && found.length <= page.limit && lookedAt < RUNS_LOOKED_AT_MAX)
  const shown = found.slice(0, page.limit)
  const last = shown.at(-1)
  if (last !== undefined && found.length > page.limit) next = writePosition(last)
  // Those that were forgotten since their openings were read are left out.
  const read = yield* Effect.forEach(shown, ({ id }) => runs.find(caller.workspaceId, id), { concurrency: "unbounded" })
  return { items: read.filter((run): run is Run => run !== undefined), next }
})
