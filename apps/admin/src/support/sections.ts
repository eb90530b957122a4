/** The sections of the bundle, each for itself: one that cannot be read takes no other along. */
import { faultOf } from "@agent-platform/platform"
import { Cause, Effect, Layer, Record } from "effect"
import { errorKindOf } from "./errorKind.ts"

/** How long one section may take, and connecting before them; a database that has trouble is when a bundle is wanted. */
export const SECTION_SECONDS_MAX = 30

/** The kind of error for which there is no section. */
interface Unavailable {
  readonly unavailable: string
}

/** Its answer, or the kind of its error. */
export const orKind = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A | Unavailable, never, R> =>
  Effect.catchCause(effect, (cause) =>
    Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.succeed({ unavailable: errorKindOf(faultOf(cause)) })
  )

/** The same, within so many seconds. */
export const sectionOf = <A, E, R>(section: Effect.Effect<A, E, R>, seconds = SECTION_SECONDS_MAX) =>
  orKind(Effect.timeout(section, `${seconds} seconds`))

/**
 * The sections over one connection, one after the other. Connecting has `SECTION_SECONDS_MAX`, and so has each section. They do not share
 * a time, since one section that hangs would use it up. Fails where there is no connection.
 */
export const sectionsOver = <R, E>(
  connection: Layer.Layer<R, E>,
  sections: Readonly<Record<string, Effect.Effect<unknown, unknown, R>>>
) =>
  Effect.scoped(
    Effect.flatMap(Effect.timeout(Layer.build(connection), `${SECTION_SECONDS_MAX} seconds`), (services) =>
      Effect.provide(Effect.all(Record.map(sections, (section) => sectionOf(section))), services)
    )
  )
