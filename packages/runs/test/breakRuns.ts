import { RunAcceptance, RunQueue, RunReader, RunSettlement, SessionRuns } from "@agent-platform/runs"
import { Context, Effect, Layer } from "effect"

/** The methods of all ports that keep runs. */
export type Runs = RunReader["Service"] &
  RunAcceptance["Service"] &
  RunQueue["Service"] &
  RunSettlement["Service"] &
  SessionRuns["Service"]

/** These ports with what is broken in place of what it stands for. */
export const breakRuns = (broken: (store: Runs) => Partial<Runs>) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const whole: Runs = {
        ...(yield* RunReader),
        ...(yield* RunAcceptance),
        ...(yield* RunQueue),
        ...(yield* RunSettlement),
        ...(yield* SessionRuns)
      }
      const faulty: Runs = { ...whole, ...broken(whole) }
      return Context.make(RunReader, faulty).pipe(
        Context.add(RunAcceptance, faulty),
        Context.add(RunQueue, faulty),
        Context.add(RunSettlement, faulty),
        Context.add(SessionRuns, faulty)
      )
    })
  )
