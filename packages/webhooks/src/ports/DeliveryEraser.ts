import type { Eraser } from "@agent-platform/kernel"
import { Context } from "effect"

/**
 * Erases events with their deliveries and attempts: those about runs among the resources, those of a workspace, or those of an
 * organization together with its endpoints and replays. An event that was not sent yet is not sent any more; one that a worker
 * has taken at this moment is left for another time. Held by `deliveryEraserContract`.
 */
export class DeliveryEraser extends Context.Service<DeliveryEraser, Eraser>()(
  "@agent-platform/webhooks/DeliveryEraser"
) {}
