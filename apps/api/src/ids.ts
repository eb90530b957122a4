/** Ids in requests. A malformed id gets the same response as an unknown one. */
import type { NotFound } from "@agent-platform/contract"
import { parseId } from "@agent-platform/kernel"
import { Effect } from "effect"
import { notFound } from "./edge/problems.ts"

type Kind<Id> = Parameters<typeof parseId<Id & string>>[0]

/** Parses an id. Fails with NotFound for a malformed one, or with the problem that an unknown one of this place has. */
export const idOf = <Id extends string>(
  kind: Kind<Id>,
  text: string,
  problem: () => NotFound = notFound
): Effect.Effect<Id, NotFound> => {
  const id = parseId(kind, text)
  return id === undefined ? Effect.fail(problem()) : Effect.succeed(id)
}

/** Parses an optional id, as `idOf` does. */
export const maybeIdOf = <Id extends string>(
  kind: Kind<Id>,
  text: string | null | undefined,
  problem: () => NotFound = notFound
): Effect.Effect<Id | undefined, NotFound> => (text == null ? Effect.undefined : idOf(kind, text, problem))
