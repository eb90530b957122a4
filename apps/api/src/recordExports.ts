/** How many records are exported at a time: each is held in memory until it is sent. docs/http.md, Records. */
import { type Caller, TooManyRequests } from "@agent-platform/contract"
import type { OrganizationId } from "@agent-platform/kernel"
import { measure } from "@agent-platform/toolkit"
import { Effect, RcMap, type Scope, Semaphore } from "effect"
import { streamRefusals } from "./measures.ts"

/** Most exports of a process, and of one organization among them. */
const EXPORTS_MAX = 4
const EXPORTS_PER_ORGANIZATION_MAX = 2

/** How long an export waits for its turn. */
const TURN_SECONDS_MAX = 10

const refused = Effect.andThen(
  measure(streamRefusals, { limit: "records" }, 1),
  Effect.fail(
    new TooManyRequests({
      code: "too_many_streams",
      detail: `An organization exports ${EXPORTS_PER_ORGANIZATION_MAX} records at a time, and a process ${EXPORTS_MAX}. Ask again later`
    })
  )
)

/** Waits for an export's turn, which ends with the request. Fails with 429 after too long a wait. */
export const makeRecordExports: Effect.Effect<
  (caller: Pick<Caller, "organizationId">) => Effect.Effect<void, TooManyRequests, Scope.Scope>,
  never,
  Scope.Scope
> = Effect.gen(function* () {
  const all = Semaphore.makeUnsafe(EXPORTS_MAX)
  const organizations = yield* RcMap.make({
    lookup: (_: OrganizationId) => Effect.sync(() => Semaphore.makeUnsafe(EXPORTS_PER_ORGANIZATION_MAX))
  })
  const take = Effect.fnUntraced(function* (organizationId: OrganizationId) {
    const own = yield* RcMap.get(organizations, organizationId)
    yield* own.takeScoped(1)
    yield* all.takeScoped(1)
  })
  return ({ organizationId }) =>
    Effect.timeoutOrElse(take(organizationId), { duration: `${TURN_SECONDS_MAX} seconds`, orElse: () => refused })
})
