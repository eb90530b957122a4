/** Queues of jobs that are broken on purpose: a suite that lets a fault through fails here. */
import { JobQueue, JobSource } from "@agent-platform/kernel"
import { layer } from "@agent-platform/kernel/memory"
import { jobQueueContract } from "@agent-platform/kernel/testing"
import { Effect, Layer } from "effect"
import { bite } from "./bite.ts"

const queueFault = (
  fault: string,
  broken: (queue: JobQueue["Service"]) => JobQueue["Service"],
  caughtBy: ReadonlyArray<string>
) => {
  const faulty = Layer.effect(
    JobQueue,
    JobQueue.use((queue) => Effect.succeed(JobQueue.of(broken(queue))))
  )
  bite(fault, () => jobQueueContract("a broken queue", Layer.provideMerge(faulty, layer)), caughtBy)
}

const sourceFault = (
  fault: string,
  broken: (source: JobSource["Service"]) => Partial<JobSource["Service"]>,
  caughtBy: ReadonlyArray<string>
) => {
  const faulty = Layer.effect(
    JobSource,
    JobSource.use((source) => Effect.succeed(JobSource.of({ ...source, ...broken(source) })))
  )
  bite(fault, () => jobQueueContract("a broken source", Layer.provideMerge(faulty, layer)), caughtBy)
}

queueFault(
  "a queue that knows neither singletons nor times nor priorities",
  (queue) => ({ enqueue: (kind, payload) => queue.enqueue({ ...kind, isSingleton: false }, payload) }),
  [
    "keeps one job of a singleton, which the last who enqueues decides on",
    "holds a job back until its time",
    "gives out the higher priority first"
  ]
)

sourceFault(
  "a source that counts no attempts, tries again at once, and does by hand what is under way",
  (source) => ({
    work: (kind, handle, options) =>
      source.work({ ...kind, retrySeconds: 0 }, (job) => handle({ ...job, attempt: 1 }), options),
    doNow: (kind, payload, handle) => source.doNow({ ...kind, isSingleton: false }, payload, handle)
  }),
  [
    "tries a job again that is handed back or dies, and none that is done",
    "interrupts the handlers of a worker that is stopped, and gives their jobs to another",
    "leaves a singleton in the queue that was not brought to its end by hand",
    "waits with the next try for as long as the kind says, longer each time",
    "refuses to do a singleton that is under way, of any number at once all but one"
  ]
)
