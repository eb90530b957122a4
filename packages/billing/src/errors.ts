/** The reasons against a model call, or against a run that would make one. */
import { Schema } from "effect"

/** The call does not fit under the cap of the workspace's month, or of the run. */
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

/** The model has no known price, and there is a cap to keep. */
export class ModelUnpriced extends Schema.TaggedError<ModelUnpriced>()("ModelUnpriced", {
  provider: Schema.String,
  model: Schema.String
}) {
  override get message() {
    return `The model '${this.model}' of '${this.provider}' has no known price, and there is a spend cap to keep`
  }
}
