import { parseJson } from "@agent-platform/kernel"

/**
 * Makes `JSON.parse` of this process read names as they were written, in whatever library calls it: V8 mixes up those of one text with those
 * of others. Decision 0084. Calls with a reviver stay V8's own.
 */
export const useSoundJson = (): void => {
  const native = JSON.parse
  JSON.parse = (text, reviver) =>
    reviver === undefined && typeof text === "string" ? parseJson(text) : native(text, reviver)
}
