/**
 * The two egress ports of this package. Each is whatever `Egress` its layer is given: the app gives each a guard of its own, so
 * that what one may call opens nothing for the other.
 */
import { Egress } from "@agent-platform/kernel"
import { Context, Effect, Layer } from "effect"

/** Egress to providers of models, a workspace's own servers included. */
export class ModelEgress extends Context.Service<ModelEgress, Egress["Service"]>()(
  "@agent-platform/models/ModelEgress"
) {
  static readonly layer: Layer.Layer<ModelEgress, never, Egress> = Layer.effect(ModelEgress, Effect.service(Egress))
}

/** Egress to any address that a model or an agent's settings name. Its guard must refuse loopback, in every deployment. */
export class ToolEgress extends Context.Service<ToolEgress, Egress["Service"]>()("@agent-platform/models/ToolEgress") {
  static readonly layer: Layer.Layer<ToolEgress, never, Egress> = Layer.effect(ToolEgress, Effect.service(Egress))
}
