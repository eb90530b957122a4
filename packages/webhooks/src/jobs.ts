/** The topic that is raised when deliveries have come due otherwise than by the clock. */
export const deliveriesDue = "webhooks.deliveries_due"
