import {
  NOTICES_POSTED,
  Signals,
  type UnitOfWork,
  type WorkspaceCaller,
  type WorkspaceId
} from "@agent-platform/kernel"
import { persistently, useCase } from "@agent-platform/toolkit"
import { type Cause, Effect, Latch, Option, Queue, type Scope, Semaphore, Stream } from "effect"
import {
  type Arrival,
  type FeedPlace,
  type FeedWorkspace,
  isWithin,
  type Marked,
  ownersOf,
  PlaceUnknown
} from "./Notification.ts"
import { NotificationFeed } from "./ports/NotificationFeed.ts"
import { fileNotices } from "./use-cases/fileNotices.ts"

/** Notices that wait for one follower at most. One that falls further behind is cut off, and comes back for the rest. */
export const FOLLOWER_NOTICES_MAX = 1_000

/** How often the feeds are looked at when no signal comes, while anybody follows. */
const LOOK_SECONDS = 1

/** Notices of each kind that are read at once for a workspace. */
const READ_MAX = 100

/** Something that a follower is told. */
export type News = Arrival | Marked

const isArrival = (news: News): news is Arrival => "notification" in news

/** The beginning of a subscription, and what follows: either stream is one. */
export interface Following {
  /** The place where it begins: a follower that is cut off before the first arrival goes on from here. */
  readonly from: FeedPlace
  /** Arrivals, and that notices have become read; who comes back to a place is told how many are unread, behind what was missed. */
  readonly news: Stream.Stream<News>
  /** The arrivals alone. */
  readonly arrivals: Stream.Stream<Arrival>
}

/** The news that one follower still has to read. */
type Follower = Queue.Queue<News, Cause.Done>

/** A workspace that somebody in this process follows. */
interface FollowedWorkspace {
  readonly workspace: FeedWorkspace
  /** Everything up to here has been handed out to the followers of that time. */
  place: FeedPlace
  /** The state of reading there by that time, as `NotificationFeed.marks` has it. */
  marks: string
  readonly followers: Set<Follower>
}

/**
 * Hands the notices of workspaces to all their followers in this process: by one reader for all of them, which does nothing
 * while there are none.
 */
export interface NotificationHub {
  /**
   * The workspace's notices as they are committed, from now on or after a place that was reached before. None is left out
   * and none comes twice, however late the stream is run. It ends only when it is read too slowly: the follower
   * comes back with the last place that it has. Fails with PlaceUnknown when the feed has not come so far.
   */
  readonly follow: (query: {
    readonly caller: WorkspaceCaller
    readonly after: FeedPlace | undefined
  }) => Effect.Effect<Following, PlaceUnknown>
}

/** A hub over the feed, until the scope closes. */
export const makeNotificationHub: Effect.Effect<
  NotificationHub,
  never,
  NotificationFeed | Signals | UnitOfWork | Scope.Scope
> = Effect.gen(function* () {
  const feed = yield* NotificationFeed
  const signals = yield* Signals
  // Taken once here, since those who run the arrivals provide no ports.
  const ports = yield* Effect.context<NotificationFeed | UnitOfWork>()
  const lock = yield* Semaphore.make(1)
  const isFollowed = yield* Latch.make(false)
  const followed = new Map<WorkspaceId, FollowedWorkspace>()

  const file = (workspaces: ReadonlyArray<FeedWorkspace>) =>
    Effect.provideContext(fileNotices(workspaces.flatMap(ownersOf)), ports)

  const handOut = ({ followers }: FollowedWorkspace, news: ReadonlyArray<News>) => {
    for (const queue of followers) {
      // A queue that takes no more belongs to a follower that reads too slowly.
      if (!news.every((one) => Queue.offerUnsafe(queue, one))) Queue.endUnsafe(queue)
    }
  }

  const marksOf = (workspace: FeedWorkspace) => Effect.map(feed.marks([workspace]), ([marks]) => marks ?? "")

  /** How many are unread, for a follower that has come to this place. */
  const markedAt = (workspace: FeedWorkspace, place: FeedPlace): Effect.Effect<Marked> =>
    Effect.map(feed.read(workspace), ({ unreadCount }) => ({ unreadCount, place }))

  /** Tells followers where notices have become read, by whichever process. */
  const tellMarks = Effect.gen(function* () {
    const all = [...followed.values()]
    const marks = yield* feed.marks(all.map(({ workspace }) => workspace))
    for (const [index, one] of all.entries()) {
      const latest = marks[index] ?? ""
      if (latest === one.marks) continue
      const marked = yield* Effect.exit(markedAt(one.workspace, one.place))
      if (marked._tag === "Failure") {
        yield* Effect.logWarning("Followers are told later what has become read", marked.cause)
        continue
      }
      handOut(one, [marked.value])
      one.marks = latest
    }
  })

  /**
   * Hands out the arrivals since the last time, and tells what has become read. Called under the lock, so that followers get them once
   * and in their order.
   */
  const advance = Effect.gen(function* () {
    let behind = [...followed.values()]
    yield* file(behind.map(({ workspace }) => workspace))
    while (behind.length > 0) {
      const ranges = behind.map(({ place, workspace }) => ({ workspace, after: place, upTo: undefined }))
      const parts = yield* feed.since(ranges, READ_MAX)
      behind = behind.filter((one, index) => {
        const part = parts[index]
        if (part === undefined) return false
        handOut(one, part.arrivals)
        one.place = part.next
        return part.more
      })
    }
    yield* tellMarks
  })

  /** A workspace is followed until its last follower leaves. */
  const leave = ({ workspaceId }: FeedWorkspace, queue: Follower) =>
    Effect.sync(() => {
      const one = followed.get(workspaceId)
      one?.followers.delete(queue)
      if (one?.followers.size === 0) followed.delete(workspaceId)
      if (followed.size === 0) Latch.closeUnsafe(isFollowed)
    })

  /** Where the feed ends once everything that is committed has its number. */
  const end = (workspace: FeedWorkspace) => Effect.andThen(file([workspace]), feed.end(workspace))

  const join = Effect.fnUntraced(function* (workspace: FeedWorkspace) {
    const queue = yield* Queue.dropping<News, Cause.Done>(FOLLOWER_NOTICES_MAX)
    const enter = Effect.gen(function* () {
      const known = followed.get(workspace.workspaceId)
      // The others are brought up to date first, so that this follower begins where they are.
      if (known !== undefined) yield* advance
      const place = known?.place ?? (yield* end(workspace))
      const marks = known?.marks ?? (yield* marksOf(workspace))
      const one = known ?? { workspace, place, marks, followers: new Set<Follower>() }
      one.followers.add(queue)
      followed.set(workspace.workspaceId, one)
      Latch.openUnsafe(isFollowed)
      return { joinedAt: place, marks }
    })
    const { joinedAt, marks } = yield* Effect.acquireRelease(lock.withPermits(1)(enter), () => leave(workspace, queue))
    return { joinedAt, marks, queue }
  })

  /** The arrivals from a follower's own place up to the one where it joined: the others had got them before. */
  const between = (workspace: FeedWorkspace, from: FeedPlace, upTo: FeedPlace) =>
    Stream.paginate(from, (after) =>
      Effect.map(
        feed.since([{ workspace, after, upTo }], READ_MAX),
        ([part]) =>
          [part?.arrivals ?? [], part?.more === true ? Option.some(part.next) : Option.none<FeedPlace>()] as const
      )
    )

  const whileFollowed = Effect.scoped(
    Effect.gen(function* () {
      const nextSignal = yield* signals.listen(NOTICES_POSTED)
      while (followed.size > 0) {
        yield* lock.withPermits(1)(advance)
        yield* nextSignal(LOOK_SECONDS)
      }
    })
  )
  // Repeated for ever: it ends whenever nobody follows any more, and then waits for the next follower.
  yield* Effect.forkScoped(persistently("Following notices", Effect.andThen(isFollowed.await, whileFollowed)))

  return {
    follow: useCase("feeds.followNotifications")(function* ({ after: given, caller }) {
      const workspace = { organizationId: caller.organizationId, workspaceId: caller.workspaceId }
      const now = yield* end(workspace)
      const after = given ?? now
      if (!isWithin(after, now)) return yield* new PlaceUnknown()
      // A new follower reads the unread count itself after this, so it is told another only where marks have changed before it joins. One
      // that comes back to a place has an old count, and is always told the present one.
      const before = given === undefined ? yield* marksOf(workspace) : undefined
      const joined = Effect.map(join(workspace), ({ joinedAt, marks, queue }) => {
        const missed: Stream.Stream<News> = between(workspace, after, joinedAt)
        const marked = marks === before ? Stream.empty : Stream.fromEffect(markedAt(workspace, joinedAt))
        return missed.pipe(Stream.concat(marked), Stream.concat(Stream.fromQueue(queue)))
      })
      const news = Stream.unwrap(joined)
      return { from: after, news, arrivals: Stream.filter(news, isArrival) }
    })
  }
})
