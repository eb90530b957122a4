import type { Eraser } from "@agent-platform/kernel"
import { Context } from "effect"

/**
 * Erases events with their deliveries and attempts: of runs that are among the resources, of a workspace, or of an organization with
 * its endpoints and replays. What was not sent yet is not sent any more; an event that a worker has taken at this moment is
 * left for another time. Held by `deliveryEraserContract`.
 */
export class DeliveryEraser extends Context.Service<DeliveryEraser, Eraser>()(
  "@agent-platform/webhooks/DeliveryEraser"
) {}
