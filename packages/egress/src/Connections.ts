import type { Socket } from "node:net"
import { type ListNode, makeLinkedList } from "@agent-platform/toolkit"
import { type Context, Effect, Exit, type Scope } from "effect"
import { Client } from "undici"
import type { GuardedConnector } from "./GuardedConnector.ts"

/** How long a connection is used at most, in milliseconds, so that a changed address takes effect. */
export const CONNECTION_MILLIS_MAX = 300_000

/** How long a connection without work is kept: under the 60 s after which common load balancers drop it. */
const IDLE_MILLIS_MAX = 55_000

/** Connections without work that are kept over all hosts; the longest idle one gives way. */
const IDLE_CONNECTIONS_MAX = 512

/** How far a connection has come. */
export type ConnectionStage = "connecting" | "securing" | "open"

/** One connection, used by one request at a time. */
export class Connection {
  readonly origin: string
  readonly client: Client
  /** How far it has come; it starts over when the client has to connect again. */
  stage: ConnectionStage = "connecting"
  /** The peer's address once the connection is open, null before. */
  remoteAddress: string | null = null
  socket: Socket | null = null
  /** Whether it has been open for as long as a connection is used. */
  isOld = false
  /** Its node in the list of idle connections; undefined while it is in use. */
  idleNode: ListNode<Connection> | undefined = undefined
  stopAgeing: () => void = () => {}

  constructor(origin: string, connect: GuardedConnector, opened: (connection: Connection) => void) {
    this.origin = origin
    this.client = new Client(origin, {
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: IDLE_MILLIS_MAX,
      keepAliveMaxTimeout: IDLE_MILLIS_MAX,
      // The request has one deadline over everything; these two are coarse and would only blur it.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options, callback) => {
        this.stage = "connecting"
        this.remoteAddress = null
        connect(
          options,
          (error, socket) => {
            if (error !== null) return callback(error, null)
            this.stage = "open"
            this.remoteAddress = socket.remoteAddress ?? null
            opened(this)
            callback(null, socket)
          },
          (socket) => {
            this.socket = socket
            socket.once("connect", () => {
              if (options.protocol === "https:") this.stage = "securing"
            })
          }
        )
      }
    })
  }

  destroy() {
    this.stopAgeing()
    this.client.destroy(() => {})
    this.socket?.destroy()
  }
}

/** The open connections of one guard. */
export interface Connections {
  /** A connection to `origin` that nobody else uses: a kept one, else a new one that connects with its first request. */
  readonly take: (origin: string) => Connection
  /** Ends the use of a connection: keeps it for the next request when `reusable`, else destroys it at once. */
  readonly giveBack: (connection: Connection, reusable: boolean) => void
}

/**
 * Keeps connections for reuse, by origin. A connection takes no new request later than `connectionMillisMax` after it
 * opened, and is closed then unless a request is in flight, which ends first. There is no limit per origin: one limit
 * would be shared by every tenant whose endpoint lies at the same provider, and the slow ones would starve the others.
 * Closing the scope destroys every connection, in use or not.
 */
export const makeConnections = Effect.fnUntraced(function* (
  connect: GuardedConnector,
  connectionMillisMax: number
): Effect.fn.Return<Connections, never, Scope.Scope> {
  const context: Context.Context<never> = yield* Effect.context<never>()
  const run = Effect.runCallbackWith(context)
  const all = new Set<Connection>()
  // In the order in which they became idle.
  const idle = makeLinkedList<Connection>()
  const idleByOrigin = new Map<string, Array<Connection>>()
  let closed = false

  const isUsable = (connection: Connection) =>
    !connection.isOld && !connection.client.destroyed && connection.socket?.destroyed === false

  const leaveIdle = (connection: Connection) => {
    const siblings = idleByOrigin.get(connection.origin)
    if (connection.idleNode === undefined || siblings === undefined) return
    idle.remove(connection.idleNode)
    connection.idleNode = undefined
    siblings.splice(siblings.lastIndexOf(connection), 1)
    if (siblings.length === 0) idleByOrigin.delete(connection.origin)
  }

  const discard = (connection: Connection) => {
    leaveIdle(connection)
    all.delete(connection)
    connection.destroy()
  }

  /** Counts the age of a connection from now on. */
  const startAgeing = (connection: Connection) => {
    connection.isOld = false
    connection.stopAgeing()
    connection.stopAgeing = run(Effect.sleep(connectionMillisMax), {
      onExit: (exit) => {
        if (Exit.isFailure(exit)) return
        connection.isOld = true
        if (connection.idleNode !== undefined) discard(connection)
      }
    })
  }

  const open = (origin: string) => {
    const connection = new Connection(origin, connect, startAgeing)
    connection.client.on("disconnect", () => {
      if (connection.idleNode !== undefined) discard(connection)
    })
    all.add(connection)
    if (closed) discard(connection)
    return connection
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      closed = true
      for (const connection of all) discard(connection)
    })
  )

  return {
    take: (origin) => {
      for (;;) {
        // The one that became idle last is the least likely to have been closed by the other side.
        const connection = idleByOrigin.get(origin)?.at(-1)
        if (connection === undefined) return open(origin)
        if (isUsable(connection)) {
          leaveIdle(connection)
          return connection
        }
        discard(connection)
      }
    },
    giveBack: (given, reusable) => {
      if (!reusable || closed || !isUsable(given)) return discard(given)
      given.idleNode = idle.add(given)
      const siblings = idleByOrigin.get(given.origin)
      if (siblings === undefined) idleByOrigin.set(given.origin, [given])
      else siblings.push(given)
      const oldest = idle.first()
      if (idle.size() > IDLE_CONNECTIONS_MAX && oldest !== undefined) discard(oldest.item)
    }
  }
})
