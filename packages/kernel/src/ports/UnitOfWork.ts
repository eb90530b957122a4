import { Context, type Effect } from "effect"

/**
 * Proof that a transaction is open. Every port method that writes demands it, and only
 * `UnitOfWork.atomic` supplies it, so a write outside a transaction does not compile.
 */
export class Transaction extends Context.Service<Transaction, { readonly id: string }>()(
  "@agent-platform/kernel/Transaction"
) {}

/** Runs effects in transactions. Held by `unitOfWorkContract`. */
export class UnitOfWork extends Context.Service<
  UnitOfWork,
  {
    /**
     * Runs `effect` in one transaction: all of its writes remain, or none. Nothing remains after a failure, a
     * defect or an interruption. Nested, it is a savepoint: an inner failure that the outer effect catches undoes
     * the inner writes alone. A failing database is a defect.
     */
    readonly atomic: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Exclude<R, Transaction>>
  }
>()("@agent-platform/kernel/UnitOfWork") {}

/** Runs an effect in one transaction, as `UnitOfWork.atomic` says. */
export const atomic = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, Exclude<R, Transaction> | UnitOfWork> => UnitOfWork.use((unit) => unit.atomic(effect))
