/** The tool that ends a turn on a question. */
import { Option, Schema } from "effect"
import type { OpenCall } from "../chat/Conversation.ts"

/** Its name, in an agent's settings and for the model. */
export const ASK_USER = "ask_user"

const Arguments = Schema.Struct({
  question: Schema.NonEmptyString,
  options: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String))),
  schema: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Json)))
})

const decode = Schema.decodeUnknownOption(Arguments)

/** Its description for the model. */
export const askUserTool = {
  name: ASK_USER,
  description:
    "Asks the user a question and waits for the answer, for as long as it takes. Use it for what only the user can know or " +
    "decide. Ask one question at a time.",
  inputSchema: {
    type: "object",
    properties: {
      question: { type: "string", description: "The question, complete in itself" },
      options: { type: "array", items: { type: "string" }, description: "Answers to choose from, if there are few" },
      schema: { type: "object", description: "A JSON schema for data that must come with the answer, if any" }
    },
    required: ["question"],
    additionalProperties: false
  }
} as const

/** The answer to a model that asks in another form. */
export const FORM_OF_QUESTIONS = `${ASK_USER} takes {"question"}, a text, and optionally "options", texts, and "schema", an object`

/** A question as a run ends on it. */
export interface Question {
  readonly message: string
  readonly interrupt: Schema.JsonObject
}

/** The question of a call; undefined when its arguments are none. */
export const questionOf = ({ input }: OpenCall): Question | undefined => {
  const read = Option.getOrUndefined(decode(input))
  if (read === undefined) return undefined
  const { options = null, question, schema = null } = read
  const interrupt = {
    type: "question",
    question,
    ...(options === null ? {} : { options }),
    ...(schema === null ? {} : { schema })
  }
  return { message: question, interrupt }
}
