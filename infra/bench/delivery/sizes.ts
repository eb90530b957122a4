/** The sizes that all measurements share. */

/** How big a delivery's body is: what a run's outcome typically comes to. */
export const BODY_BYTES = 733

/** How much goes before what is measured, as a multiple of it, while code gets warm. */
export const WARM_UP = 2
