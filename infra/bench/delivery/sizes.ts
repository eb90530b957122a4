/** The sizes that all measurements share. */

/** How big a delivery's body is: what a run's outcome typically comes to. */
export const BODY_BYTES = 733

/** So many times what is measured comes before it and is not. */
export const WARM_UP = 2
