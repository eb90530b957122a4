import { fileURLToPath } from "node:url"

/** The folder of the pictures of docs/dashboard.md. */
export const PICTURES = fileURLToPath(new URL("../../../docs/pictures/", import.meta.url))

/** How much a picture may weigh: every clone brings them all. */
export const PICTURE_BYTES_MAX = 100_000
