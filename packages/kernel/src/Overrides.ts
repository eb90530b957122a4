/** The members that workspaces set for themselves of rows that follow a template. */
import { Context, Effect, Layer } from "effect"
import type { WorkspaceId } from "./Ids.ts"
import { TemplateStore } from "./ports/TemplateStore.ts"
import type { Transaction } from "./ports/UnitOfWork.ts"

/** Notes in the caller's transaction which members the workspace has set for itself: from then on a template leaves them alone. */
export type NoteOverrides = (names: ReadonlyArray<string>) => Effect.Effect<void, never, Transaction>

/** Every change of a row that can follow a template goes through it. */
export class Overrides extends Context.Service<
  Overrides,
  {
    /**
     * Holds the row's part in a template, to note what is changed of it; a row that follows none has nothing noted. To be called
     * before the row itself is held, since that is the order in which a template reaches it.
     */
    readonly hold: (workspaceId: WorkspaceId, resourceId: string) => Effect.Effect<NoteOverrides, never, Transaction>
  }
>()("@agent-platform/kernel/Overrides") {
  /** A function, since Effect builds one layer value once: all stores of a process would share the overrides over the first. */
  static readonly layer = (): Layer.Layer<Overrides, never, TemplateStore> =>
    Layer.effect(
      Overrides,
      Effect.map(TemplateStore, (store) => ({
        hold: Effect.fnUntraced(function* (workspaceId: WorkspaceId, resourceId: string) {
          const member = yield* store.holdMemberOf(workspaceId, resourceId)
          return (names) => {
            if (member === undefined || names.length === 0) return Effect.void
            const overridden = [...new Set([...member.overridden, ...names])].sort()
            return store.putMember({ ...member, overridden })
          }
        })
      }))
    )

  /** For hosts without templates. */
  static readonly layerNone: Layer.Layer<Overrides> = Layer.succeed(Overrides, {
    hold: () => Effect.succeed(() => Effect.void)
  })
}
