/** Fills the compile cache for the next start: run by the launcher after an installation, and by a start that finds it empty. */
import { compileCache } from "./compileCache.ts"
import { parts, ROOT } from "./parts.ts"

const cache = compileCache({ ...parts, root: ROOT }, process.env.NODE_COMPILE_CACHE)
if (cache?.isFilled === false) await cache.fill()
process.exit(0)
