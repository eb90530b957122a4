/** The two egress ports of this package: one for providers of models, one for addresses that agents' tools name. */
import { Egress } from "@agent-platform/kernel"
import { Context, Effect, Layer } from "effect"

/** Egress to providers of models, a workspace's own servers included. */
export class ModelEgress extends Context.Service<ModelEgress, Egress["Service"]>()(
  "@agent-platform/models/ModelEgress"
) {
  /** Over an `Egress` that nothing else goes through. */
  static readonly layer: Layer.Layer<ModelEgress, never, Egress> = Layer.effect(ModelEgress, Effect.service(Egress))
}

/** Egress to any address that a model or an agent's settings name, but never to loopback. */
export class ToolEgress extends Context.Service<ToolEgress, Egress["Service"]>()("@agent-platform/models/ToolEgress") {
  /** Over an `Egress` that nothing else goes through. */
  static readonly layer: Layer.Layer<ToolEgress, never, Egress> = Layer.effect(ToolEgress, Effect.service(Egress))
}
