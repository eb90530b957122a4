import type { Embedded, InTransaction } from "../internal/Embedded.ts"

/** Something that somebody should know. */
export interface PostedNotification {
  readonly tenant: string
  /** The host's name for whom it concerns, such as a person or a team. Unless given, every reader of the tenant. */
  readonly reader?: string
  /** As in `invoice.overdue`. */
  readonly type: string
  readonly title: string
  readonly body?: string
  /** A JSON object of at most 16 KiB. */
  readonly data?: object
}

/** A notification as a reader sees it. */
export interface Notification {
  readonly id: string
  readonly type: string
  readonly title: string
  readonly body: string
  readonly data: Readonly<Record<string, unknown>>
  /** Whether it is to every reader of the tenant. */
  readonly toAll: boolean
  /** Whether this reader has read it. */
  readonly read: boolean
  readonly createdAt: Date
}

/** Who did something. */
export interface Actor {
  readonly type: "user" | "agent" | "system"
  readonly id: string
  readonly label: string
}

/** Something that somebody did. */
export interface RecordedActivity {
  readonly tenant: string
  readonly actor: Actor
  /** `<resource>.<verb in the past>`, as `invoice.sent`. */
  readonly action: string
  /** One sentence for a person. */
  readonly summary: string
  readonly resource: { readonly type: string; readonly id: string }
  /** A JSON object of at most 16 KiB. */
  readonly data?: object
}

/** An entry of the activity feed. */
export interface Activity extends Omit<RecordedActivity, "tenant" | "data"> {
  readonly id: string
  readonly data: Readonly<Record<string, unknown>>
  readonly createdAt: Date
}

/** Which entries a list has. */
export interface ActivityPage {
  readonly resourceType?: string
  /** The id of the resource that it was done to. */
  readonly resourceId?: string
  readonly actorType?: Actor["type"]
  /** Done at this time or later. */
  readonly since?: Date
  readonly limit?: number
  /** The `next` of the page before. */
  readonly after?: string | undefined
}

/** Whose marks of what is read are meant. Without a name it is the tenant's nameless reader, who has marks of its own. */
export interface Reader {
  readonly reader?: string
}

/** Notifications and activity of a host's tenants. Every method rejects with `EmbedError` where it refuses. */
export interface EmbeddedFeeds extends Embedded {
  /** Starts to file what was posted, so that counting stays fast, and to forget what is old, in this process until `close`. */
  readonly start: () => Promise<void>
  readonly notifications: {
    /** Posts a notification, unread, and returns its id. */
    readonly post: (notification: PostedNotification, options?: InTransaction) => Promise<string>
    /** The 50 newest, and how many are unread at the same moment. */
    readonly list: (
      tenant: string,
      options?: Reader & InTransaction
    ) => Promise<{ readonly items: ReadonlyArray<Notification>; readonly unreadCount: number }>
    /** Exact, however many there are. */
    readonly unreadCount: (tenant: string, options?: Reader & InTransaction) => Promise<number>
    /**
     * Marks 100 notifications at most, or all that are there by now, as read by a reader, and returns how many are unread then. Ids
     * that the reader does not see change nothing.
     */
    readonly markRead: (
      tenant: string,
      which: ReadonlyArray<string> | "all",
      options?: Reader & InTransaction
    ) => Promise<{ readonly unreadCount: number }>
  }
  readonly activity: {
    /** Records an act, and returns its id. */
    readonly record: (activity: RecordedActivity, options?: InTransaction) => Promise<string>
    /** Newest first, 50 at most. `next`, unless undefined, is `after` of the page that follows. */
    readonly list: (
      tenant: string,
      page?: ActivityPage,
      options?: InTransaction
    ) => Promise<{ readonly items: ReadonlyArray<Activity>; readonly next: string | undefined }>
  }
}
