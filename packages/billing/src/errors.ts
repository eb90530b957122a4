/** The reasons against a model call, or against a run that would make one. */
import { Schema } from "effect"

/** The cap of the workspace's month, or of the run, is spent, or so nearly that the call does not fit under it any more. */
export class CapReached extends Schema.TaggedError<CapReached>()("CapReached", {
  cap: Schema.Literals(["workspace", "run"]),
  capUsd: Schema.String,
  spentUsd: Schema.String,
  reservedUsd: Schema.String
}) {
  override get message() {
    const whose = this.cap === "workspace" ? "The workspace" : "The run"
    return `${whose} may spend ${this.capUsd} USD, of which ${this.spentUsd} are spent and ${this.reservedUsd} held back`
  }
}

/** The smallest form of the call that is of use costs more than the cap leaves. Smaller calls may still be made. */
export class CallExceedsCap extends Schema.TaggedError<CallExceedsCap>()("CallExceedsCap", {
  cap: Schema.Literals(["workspace", "run"]),
  capUsd: Schema.String,
  wantedUsd: Schema.String,
  leftUsd: Schema.String,
  heldUsd: Schema.String
}) {
  override get message() {
    const whose = this.cap === "workspace" ? "the workspace" : "the run"
    return `The call can cost ${this.wantedUsd} USD and ${whose} has ${this.leftUsd} of ${this.capUsd} left, with ${this.heldUsd} held back for calls under way`
  }
}

/** The model has no known price, and there is a cap to keep. */
export class ModelUnpriced extends Schema.TaggedError<ModelUnpriced>()("ModelUnpriced", {
  provider: Schema.String,
  model: Schema.String
}) {
  override get message() {
    return `The model '${this.model}' of '${this.provider}' has no known price, and there is a spend cap to keep`
  }
}
