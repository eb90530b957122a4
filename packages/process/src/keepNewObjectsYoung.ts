import { setFlagsFromString } from "node:v8"

/**
 * Has V8 make every object among the young ones, whatever became of others that were made at the same place in the code. For
 * processes whose objects all live for milliseconds or for good. At the start, places are judged by what survives then, and
 * what is made at some of them lies among the old objects from there on: as garbage it keeps everything that it refers to
 * alive until all of memory is looked through. In half of all starts of a delivery worker a third of all new objects was
 * copied for that, and pauses took twice as long.
 */
export const keepNewObjectsYoung = (): void => setFlagsFromString("--no-allocation-site-pretenuring")
