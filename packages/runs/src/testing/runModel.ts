/** The simplest model of the life of runs, with which every store and use case is compared. */
import { Schema } from "effect"

const index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 7 }))
const session = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const claim = { claim: index }

/** One act on the runs. Those that are listed twice are tried twice as often. Indices are taken modulo the number of runs or claims. */
export const RunAct = Schema.Union([
  Schema.Struct({
    act: Schema.Literal("trigger"),
    session,
    maxAttempts: Schema.Literals([1, 2]),
    ifBusy: Schema.Literals(["enqueue", "enqueue", "reject", "interrupt"])
  }),
  /** A worker claims all due runs. A doomed one never renews its claims. */
  Schema.Struct({ act: Schema.Literal("claim"), doomed: Schema.Boolean }),
  Schema.Struct({ act: Schema.Literal("claim"), doomed: Schema.Boolean }),
  /** The holder of a claim writes an end, however long ago it lost the claim. */
  Schema.Struct({ act: Schema.Literal("end"), ...claim, how: Schema.Literals(["succeed", "pause", "pause", "fail"]) }),
  Schema.Struct({ act: Schema.Literal("end"), ...claim, how: Schema.Literals(["succeed", "pause", "pause", "fail"]) }),
  Schema.Struct({ act: Schema.Literal("handBack"), ...claim }),
  Schema.Struct({ act: Schema.Literal("say"), ...claim }),
  Schema.Struct({ act: Schema.Literal("renew"), ...claim }),
  Schema.Struct({ act: Schema.Literal("recover"), graceOver: Schema.Boolean }),
  Schema.Struct({ act: Schema.Literal("reply"), session, run: Schema.NullOr(index) }),
  Schema.Struct({ act: Schema.Literal("cancel"), session, mode: Schema.Literals(["graceful", "immediate"]) })
])
export type RunAct = typeof RunAct.Type

/** A run of the model. */
export interface ModelRun {
  readonly session: number
  readonly maxAttempts: number
  status: "queued" | "running" | "succeeded" | "failed" | "cancelled"
  paused: boolean
  attempt: number
  handBacks: number
  cancelRequested: boolean
  questionCancelled: boolean
  answeredBy: number | undefined
  /** The number of the claim that holds it. */
  claim: number | undefined
  /** Whether the lease of that claim has ended. */
  lapsed: boolean
}

const isUnfinished = (run: ModelRun) => run.status === "queued" || run.status === "running"
const isOpen = (run: ModelRun) => run.paused && run.answeredBy === undefined && !run.questionCancelled

/** The state of the model after all acts so far. */
export class RunModel {
  readonly runs: Array<ModelRun> = []

  private inSession(sessionNumber: number) {
    return this.runs.filter((run) => run.session === sessionNumber)
  }

  private release(run: ModelRun, status: ModelRun["status"]) {
    run.status = status
    run.claim = undefined
    run.lapsed = false
  }

  private add(sessionNumber: number, maxAttempts: number) {
    this.runs.push({
      session: sessionNumber,
      maxAttempts,
      status: "queued",
      paused: false,
      attempt: 0,
      handBacks: 0,
      cancelRequested: false,
      questionCancelled: false,
      answeredBy: undefined,
      claim: undefined,
      lapsed: false
    })
    return this.runs.length - 1
  }

  private cancelUnfinished(sessionNumber: number, mode: "graceful" | "immediate") {
    for (const run of this.inSession(sessionNumber).filter(isUnfinished)) {
      run.cancelRequested = true
      if (run.status === "queued" || mode === "immediate") this.release(run, "cancelled")
    }
  }

  trigger(sessionNumber: number, maxAttempts: number, ifBusy: "enqueue" | "reject" | "interrupt"): "busy" | number {
    if (ifBusy === "reject" && this.inSession(sessionNumber).some(isUnfinished)) return "busy"
    if (ifBusy === "interrupt") this.cancelUnfinished(sessionNumber, "graceful")
    return this.add(sessionNumber, maxAttempts)
  }

  /** The indices of the runs that a claim gets; the caller writes the claim's number to them. */
  claim(doomed: boolean): ReadonlyArray<number> {
    const first = [...new Set(this.runs.map((run) => run.session))].flatMap(
      (sessionNumber) => this.inSession(sessionNumber).find(isUnfinished) ?? []
    )
    return first
      .filter((run) => run.status === "queued")
      .map((run) => {
        run.status = "running"
        run.attempt++
        run.lapsed = doomed
        return this.runs.indexOf(run)
      })
  }

  private holder(claimNumber: number): ModelRun | undefined {
    return this.runs.find((run) => run.claim === claimNumber && run.status === "running")
  }

  end(claimNumber: number, how: "succeed" | "pause" | "fail"): void {
    const run = this.holder(claimNumber)
    if (run === undefined) return
    run.paused = how === "pause" && !run.cancelRequested
    this.release(run, run.cancelRequested ? "cancelled" : how === "fail" ? "failed" : "succeeded")
  }

  handBack(claimNumber: number): void {
    const run = this.holder(claimNumber)
    if (run === undefined) return
    if (!run.cancelRequested) run.handBacks++
    this.release(run, run.cancelRequested ? "cancelled" : "queued")
  }

  renew(claimNumber: number): void {
    const run = this.holder(claimNumber)
    if (run !== undefined) run.lapsed = false
  }

  recover(graceOver: boolean): void {
    for (const run of this.runs.filter(({ status }) => status === "running")) {
      if (run.cancelRequested && (graceOver || run.lapsed)) this.release(run, "cancelled")
      else if (run.lapsed) this.release(run, run.attempt - run.handBacks < run.maxAttempts ? "queued" : "failed")
    }
  }

  /** Replies, and returns the tag of the failure or the resumed run (undefined for an ordinary turn). */
  reply(sessionNumber: number, named: number | undefined): string | { readonly resumes: number | undefined } {
    const question = named === undefined ? this.inSession(sessionNumber).findLast(isOpen) : this.runs[named]
    if (named !== undefined && question !== undefined) {
      if (question.session !== sessionNumber) return "RunNotFound"
      if (!question.paused) return "RunNotPaused"
      if (question.answeredBy !== undefined) return "InterruptAlreadyAnswered"
      if (question.questionCancelled) return "InterruptCancelled"
    }
    const before = question ?? this.inSession(sessionNumber).at(-1)
    const added = this.add(sessionNumber, before?.maxAttempts ?? 1)
    if (question !== undefined) question.answeredBy = added
    return { resumes: question === undefined ? undefined : this.runs.indexOf(question) }
  }

  cancel(sessionNumber: number, mode: "graceful" | "immediate"): void {
    for (const run of this.inSession(sessionNumber).filter(isOpen)) run.questionCancelled = true
    this.cancelUnfinished(sessionNumber, mode)
  }
}
