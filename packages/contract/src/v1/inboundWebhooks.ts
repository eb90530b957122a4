/** Inbound webhooks of agents as they cross the wire. Spec: Agents; Inbound hooks. */
import { Verification as VerificationOfRuns } from "@agent-platform/runs"
import { Schema } from "effect"
import { bounded, id, isShowable, isStorable, maybe, nullableText, orElse, time } from "./formats.ts"
import { wire } from "./wire.ts"

/** How requests show that they come from whom they should. */
export const Verification = VerificationOfRuns

/** Most members of the input that a body is mapped to. */
export const MAP_MEMBERS_MAX = 32

const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/

const mapFaults = (map: Readonly<Record<string, string>>) =>
  Object.entries(map).flatMap(([member, pointer]) => {
    if (member.length < 1 || member.length > 64 || !isStorable(member)) {
      return [{ path: [member], issue: "must have a name of 1 to 64 characters" }]
    }
    if (!isShowable(member)) return [{ path: [member], issue: "must not have a credential as its name" }]
    return pointer.length > 500 || !isStorable(pointer) || !POINTER.test(pointer)
      ? [{ path: [member], issue: "must be a JSON pointer of up to 500 characters, such as /data/object" }]
      : []
  })

const map = Schema.Record(Schema.String, Schema.String).annotate({
  description:
    "From each member of the run's input to where in the body its value is: a JSON pointer (RFC 6901). What is not there " +
    "is null. Missing or null: the whole body is the input",
  examples: [{ customer: "/data/object/customer" }]
})

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
    map: maybe(
      map.check(
        Schema.isMaxProperties(MAP_MEMBERS_MAX, { message: `must have at most ${MAP_MEMBERS_MAX} members` }),
        Schema.makeFilter(mapFaults)
      )
    )
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
    url: nullableText("Where to send requests. Shown once; null in a repetition under the same Idempotency-Key"),
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
