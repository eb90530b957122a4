/** The streams that a client follows. */
import { follow } from "./follow.ts"
import type { ListRunsRequest } from "./generated/calls.ts"
import type { Notification, Run, RunEvent } from "./generated/schemas.ts"
import { MESSAGE_DONE, type MessageChunk } from "./messageChunks.ts"
import { withQuery } from "./query.ts"
import type { Reach } from "./request.ts"
import type { ServerSentEvent } from "./serverSentEvents.ts"

/** Options of a stream. */
export interface FollowOptions {
  /**
   * The place to go on after: the `seq` of a log's event, the `id` of an organization's event, the `position` of a changed run or of a notice.
   * Unless given, a log begins at its beginning, and the others now.
   */
  readonly after?: string | number
  readonly signal?: AbortSignal
  /**
   * Called once, before the first item, with the place where a stream without `after` begins; `after` takes that place. A list that is
   * read after this call leaves no gap before the stream. Not called for a log.
   */
  readonly onBegin?: (place: string) => void
}

/** Options of the stream of a workspace's runs. */
export interface FollowRunsOptions extends FollowOptions {
  /** Only runs that have come to this status, and of this agent. */
  readonly query?: Pick<NonNullable<ListRunsRequest["query"]>, "status" | "agent_id">
}

/** Options of the stream of a workspace's notices. */
export interface FollowNotificationsOptions extends FollowOptions {
  /** Called where notices have become read, by marks or because a question was answered, with how many are unread now. */
  readonly onRead?: (unreadCount: number) => void
}

/** An event of the organization, as its endpoints get it. */
export interface OrganizationEvent {
  readonly id: string
  readonly type: string
  readonly created_at: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A run that has changed. */
export interface ChangedRun {
  /** How far the runs have been followed: the `after` to go on with. It is opaque. */
  readonly position: string
  /** The run as it is by then, as reading it shows it. */
  readonly run: Run
}

/** A notice that was posted. */
export interface PostedNotification {
  /** How far the notices have been followed: the `after` to go on with. It is opaque. */
  readonly position: string
  readonly notification: Notification
}

/** The streams, which go on over whatever connections break. */
export interface Streams {
  /** A run's log from its beginning to its end. */
  readonly followRun: (runId: string, options?: FollowOptions) => AsyncIterableIterator<RunEvent>
  /** The same as the chunks of a message of the AI SDK. */
  readonly followRunMessage: (
    runId: string,
    options?: Pick<FollowOptions, "signal">
  ) => AsyncIterableIterator<MessageChunk>
  /** The workspace's runs as they change, until the signal is aborted. Each comes with its latest state. */
  readonly followRuns: (options?: FollowRunsOptions) => AsyncIterableIterator<ChangedRun>
  /** The workspace's notices as they are posted, until the signal is aborted. */
  readonly followNotifications: (options?: FollowNotificationsOptions) => AsyncIterableIterator<PostedNotification>
  /** The organization's events as they are published, until the signal is aborted. */
  readonly followEvents: (options?: FollowOptions) => AsyncIterableIterator<OrganizationEvent>
}

/** The last event of a run's log. */
const LAST_EVENT = /^run\.(succeeded|paused|failed|cancelled)$/

const dataOf = ({ data }: ServerSentEvent) => JSON.parse(data)

const changeOf = (event: ServerSentEvent): ChangedRun => ({ position: event.id, run: dataOf(event) })

const noticeOf = (event: ServerSentEvent): PostedNotification => ({ position: event.id, notification: dataOf(event) })

/** The type of the event that tells of no notice: that some have become read. */
const READ = "read"

/** The streams of a service. */
export const makeStreams = (reach: Reach): Streams => {
  async function* stream(path: string, { after, ...options }: FollowOptions = {}, read = dataOf, last?: RegExp) {
    const events = follow(reach, { ...options, path: `/api/v1/${path}`, lastEventId: after?.toString(), last })
    for await (const event of events) {
      if (event.data === MESSAGE_DONE) return
      yield read(event)
    }
  }
  async function* notices({ onRead, ...options }: FollowNotificationsOptions = {}) {
    for await (const event of stream("notifications/stream", options, (said) => said)) {
      if (event.event === READ) onRead?.(dataOf(event).unread_count)
      else yield noticeOf(event)
    }
  }
  return {
    followRun: (runId, options) => stream(`runs/${encodeURIComponent(runId)}/logs`, options, dataOf, LAST_EVENT),
    followRunMessage: (runId, options) => stream(`runs/${encodeURIComponent(runId)}/logs?format=ui-message`, options),
    followRuns: (options) => stream(withQuery("runs/stream", options?.query), options, changeOf),
    followNotifications: notices,
    followEvents: (options) => stream("org/webhooks/stream", options)
  }
}
