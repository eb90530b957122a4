import { EmbedError } from "@agent-platform/embed/keys"
import { assert } from "vitest"

/** The `EmbedError` that something is refused with. */
export const refusal = async (act: () => unknown): Promise<EmbedError> => {
  try {
    await act()
  } catch (error) {
    assert.instanceOf(error, EmbedError)
    return error
  }
  throw new Error("Nothing was refused")
}
