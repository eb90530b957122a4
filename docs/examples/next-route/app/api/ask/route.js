// POST /api/ask of the App Router: a model call that its customer pays for, within a cap of each month.
import { billing } from "../../../lib/billing.js"

/** In your service: the call of your provider. Its answer has to say what was used. */
const askTheModel = async (prompt) => ({
  text: `You said ${prompt}`,
  usage: { inputTokens: 7_000, outputTokens: 16_000 }
})

export const POST = async (request) => {
  const { customer, prompt } = await request.json()
  const metering = await billing()
  const call = { customer, model: "small-model", maxTokens: { input: 8_000, output: 16_000 } }
  try {
    const { text } = await metering.metered(call, () => askTheModel(prompt))
    return Response.json({ text, ...(await metering.spend(customer)) })
  } catch (error) {
    // Before anything was sent to the model.
    if (["cap_reached", "call_exceeds_cap"].includes(error.code))
      return Response.json({ error: error.message }, { status: 402 })
    throw error
  }
}
