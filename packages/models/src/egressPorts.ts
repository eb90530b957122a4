/** The two guarded ways out of this room: one to providers of models, one to what agents' tools name. */
import { Egress } from "@agent-platform/kernel"
import { Context, Effect, Layer } from "effect"

/** The way to providers of models, a workspace's own servers included. */
export class ModelEgress extends Context.Service<ModelEgress, Egress["Service"]>()(
  "@agent-platform/models/ModelEgress"
) {
  /** Over an `Egress` that nothing else goes through. */
  static readonly layer: Layer.Layer<ModelEgress, never, Egress> = Layer.effect(ModelEgress, Effect.service(Egress))
}

/** The way to whatever a model or an agent's settings name: never to loopback, whatever is open elsewhere. */
export class ToolEgress extends Context.Service<ToolEgress, Egress["Service"]>()("@agent-platform/models/ToolEgress") {
  /** Over an `Egress` that nothing else goes through. */
  static readonly layer: Layer.Layer<ToolEgress, never, Egress> = Layer.effect(ToolEgress, Effect.service(Egress))
}
