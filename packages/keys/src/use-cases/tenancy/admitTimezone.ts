import { parseTimezone } from "@agent-platform/toolkit"
import { Effect } from "effect"
import { TenancyStore } from "../../ports/TenancyStore.ts"
import { TimezoneUnknown } from "../../Workspace.ts"

/**
 * The time zone of this name. Both this runtime and the store must know it, since both reckon days and months. Fails with
 * TimezoneUnknown.
 */
export const admitTimezone = Effect.fnUntraced(function* (name: string) {
  const store = yield* TenancyStore
  const timezone = parseTimezone(name)
  if (timezone === undefined || !(yield* store.knowsTimezone(timezone))) {
    return yield* new TimezoneUnknown({ timezone: name })
  }
  return timezone
})
