import { Context, type Effect, type Scope } from "effect"
import type { Transaction } from "./UnitOfWork.ts"

/**
 * Wake-ups across processes. A signal carries no work and may be lost: its waiter also looks by the
 * clock. Work that may not be lost is a job. Held by `signalsContract`.
 */
export class Signals extends Context.Service<
  Signals,
  {
    /**
     * Raises `topic` once the transaction has committed; never if its effect fails. It may be raised in vain, for an inner transaction
     * that was undone or a commit that was refused. Bursts may be merged.
     */
    readonly raise: (topic: string) => Effect.Effect<void, never, Transaction>
    /**
     * Listens to `topic` from now on until the scope closes. The function that it returns waits for a signal that came since
     * it last returned, or for `seconds` at most: then it answers false.
     */
    readonly listen: (topic: string) => Effect.Effect<(seconds: number) => Effect.Effect<boolean>, never, Scope.Scope>
  }
>()("@agent-platform/kernel/Signals") {}
