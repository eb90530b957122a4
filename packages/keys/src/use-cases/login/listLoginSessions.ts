import type { PageRequest } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import type { UserId } from "../../Member.ts"
import { LoginStore } from "../../ports/LoginStore.ts"

/** The person's own open sessions with all organizations, newest first. */
export const listLoginSessions = useCase("keys.listLoginSessions")(function* (query: {
  readonly userId: UserId
  readonly page: PageRequest
}) {
  const store = yield* LoginStore
  return yield* store.list(query.userId, yield* DateTime.now, query.page)
})
