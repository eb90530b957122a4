import { Quotas, UnitOfWork } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Effect } from "effect"
import type { NoticeOwner } from "../Notification.ts"
import { NotificationFeed } from "../ports/NotificationFeed.ts"
import { FORGET_MAX } from "./forgetOld.ts"

/** Most notices that are filed in one transaction. */
export const FILE_MAX = 2_000

/** Most owners that are looked up at once. */
const OWNERS_MAX = 200

/** Most rounds in a row: where notices come faster than they are filed, the next call goes on. */
const ROUNDS_MAX = 100

/** Files the owner's notices, batch by batch, and forgets the oldest beyond its quota. Returns how many were filed. */
const fileAllOf = Effect.fnUntraced(function* (owner: NoticeOwner) {
  const feed = yield* NotificationFeed
  const unit = yield* UnitOfWork
  let total = 0
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const filed = yield* unit.atomic(feed.file(owner, FILE_MAX))
    total += filed
    if (filed < FILE_MAX) break
  }
  // The oldest beyond the quota go at once, so that a feed stays as large as it may be, however fast notices come.
  const { notices: keep } = yield* Quotas
  for (let round = 0; round < ROUNDS_MAX && (yield* feed.countFiled(owner)) > keep; round++) {
    yield* unit.atomic(feed.forget(owner, { keep }, FORGET_MAX))
  }
  return total
})

/**
 * Gives the committed notices of `among`, or of all owners, their numbers. Safe to do at any time, repeatedly and at once.
 * Returns how many were filed.
 */
export const fileNotices = useCase("feeds.fileNotices")(function* (among?: ReadonlyArray<NoticeOwner>) {
  const feed = yield* NotificationFeed
  let total = 0
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const owners = yield* feed.unfiled(OWNERS_MAX, among)
    for (const owner of owners) total += yield* fileAllOf(owner)
    if (owners.length < OWNERS_MAX) break
  }
  return total
})
