/** Inbound webhooks of agents as they cross the wire. Spec: Agents; Inbound hooks. */
import { Verification as VerificationOfRuns } from "@agent-platform/runs"
import { Schema } from "effect"
import { bounded, id, isStorable, maybe, namedPairs, nullableText, nullableUri, orElse, time } from "./formats.ts"
import { wire } from "./wire.ts"

/** How requests show that they come from whom they should. */
export const Verification = VerificationOfRuns

/** Most members of the input that a body is mapped to. */
export const MAP_MEMBERS_MAX = 32

const pointer = Schema.String.check(
  Schema.isPattern(/^(?:\/(?:[^~/]|~[01])*)*$/u, {
    message: "must be a JSON pointer (RFC 6901), such as /data/object"
  }),
  Schema.isMaxLength(500, { message: "must have at most 500 characters" }),
  Schema.makeFilter(isStorable, { message: "must not contain NUL or unpaired surrogates" })
)

const ABOUT_MAP = {
  description:
    "From each member of the run's input to where in the body its value is: a JSON pointer (RFC 6901). What is not there " +
    "is null. Missing or null: the whole body is the input",
  examples: [{ customer: "/data/object/customer" }]
}

const map = Schema.Record(Schema.String, Schema.String).annotate(ABOUT_MAP)

/** The body that gives an agent its inbound URL. */
export const NewAgentWebhook = wire(
  {
    verification: orElse(
      Verification.annotate({ description: "How requests show where they come from", default: "none" }),
      "none"
    ),
    secret: maybe(
      bounded(
        "The secret that the sender signs with; made up when missing, and not taken with none. For standard-webhooks base64, with or without `whsec_`",
        8,
        500
      )
    ),
    map: maybe(namedPairs(pointer, MAP_MEMBERS_MAX, "members").annotate(ABOUT_MAP))
  },
  {
    identifier: "NewAgentWebhook",
    description: "An inbound URL to create, in place of the one that there may be",
    examples: [
      { verification: "stripe", secret: "whsec_from_their_dashboard", map: { customer: "/data/object/customer" } }
    ]
  }
)

/** The inbound URL that was just created. */
export const AgentWebhook = wire(
  {
    agentId: id("The agent that it sets going"),
    url: nullableUri("Where to send requests. Shown once; null in a repetition under the same Idempotency-Key"),
    secret: nullableText(
      "The secret that the sender signs with. Shown once; null without verification, and in a repetition"
    ),
    verification: Verification.annotate({ description: "How requests show where they come from" }),
    map: Schema.NullOr(map),
    createdAt: time("When it was created")
  },
  { identifier: "AgentWebhook", description: "An agent's inbound URL" }
)

/** The inbound URL that was deleted. Spec: Agents 2. */
export const DeletedAgentWebhook = wire(
  {
    agentId: id("The agent that it set going"),
    status: Schema.Literal("deleted").annotate({ description: "It accepts nothing any more" }),
    deletedAt: time("When it was deleted")
  },
  { identifier: "DeletedAgentWebhook", description: "An inbound URL that was deleted" }
)

/** The outcome of a request to an inbound URL. */
export const HookReceipt = wire(
  {
    runId: id("The run that it triggered; in a repetition the one from before"),
    sessionId: id("The session of that run")
  },
  { identifier: "HookReceipt", description: "The outcome of a request to an inbound URL" }
)
