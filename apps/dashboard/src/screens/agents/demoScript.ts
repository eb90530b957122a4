/** A script for agents of the recipe demo, as JSON, which ends on a question. The reply to it goes on with the last step. */
export const QUESTION = JSON.stringify(
  {
    steps: [{ say: "Order 17 came back on Monday. " }, { ask: "Shall I refund 40 USD?" }, { say: "It is refunded." }]
  },
  null,
  2
)
