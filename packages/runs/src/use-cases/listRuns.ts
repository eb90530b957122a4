import type { WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { RunReader } from "../ports/RunReader.ts"
import { type RunFilter, readPosition } from "../RunList.ts"

export interface ListRuns {
  readonly caller: WorkspaceCaller
  readonly filter: RunFilter
  /** `before` is the `next` of the page before. */
  readonly page: { readonly limit: number; readonly before: string | undefined }
}

/** The workspace's runs that match the filter, newest first; stable while others are being triggered. */
export const listRuns = useCase("runs.listRuns")(function* ({ caller, filter, page }: ListRuns) {
  const runs = yield* RunReader
  const before = page.before === undefined ? undefined : readPosition(page.before)
  return yield* runs.list(caller.workspaceId, filter, { limit: page.limit, before })
})
