/** Every status that the document has for an operation is shown by a test that somebody wrote. */
import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { operations } from "./document.ts"

/** A test by its file beside this folder, and its title. */
type Shown = readonly [file: string, title: string]

/** The test that shows a status for all operations that have it. */
const EVERYWHERE: Readonly<Record<number, Shown>> = {
  200: ["reach.test.ts", "has a row for every endpoint, and none for another"],
  201: ["reach.test.ts", "has a row for every endpoint, and none for another"],
  202: ["reach.test.ts", "has a row for every endpoint, and none for another"],
  204: ["reach.test.ts", "has a row for every endpoint, and none for another"],
  400: ["edge.test.ts", "answer 400 where their percent-encoding is invalid"],
  401: ["everyEndpoint.test.ts", "answers 401 without a credential and says how to authenticate"],
  403: ["everyEndpoint.test.ts", "answers 403 to a key that lacks its scope"],
  404: [
    "everyEndpoint.test.ts",
    "answers 404 to a workspace that the key does not reach, be it unknown, malformed or foreign"
  ],
  406: ["everyRequest.test.ts", "answers 406 when no format that it has is accepted"],
  408: ["timeouts.test.ts", "is waited for 30 seconds and answered with 408"],
  409: ["database.postgres.test.ts", "creates once under an Idempotency-Key, however many ask at once"],
  413: ["everyRequest.test.ts", "answers 413 to a byte more than it takes, and to megabytes more"],
  415: [
    "everyRequest.test.ts",
    "answers 415 to another media type, to none, to another charset, and to a content encoding"
  ],
  422: ["everyRequest.test.ts", "answers 422 to query parameters that it does not know, naming them"],
  429: ["keyLimits.test.ts", "learns on every answer what is left, and 429 with when to go on once nothing is"],
  500: ["faults.test.ts", "answers 500 and keeps to itself what it was"],
  503: ["database.postgres.test.ts", "answers 503 at worst while its connections are being cut, and recovers by itself"]
}

const LOGIN = "/api/v1/auth/oauth/{provider}"
const HOOK = "POST /api/v1/hooks/{agent_id}/{token}"
const ENDPOINT = "/api/v1/org/webhooks/{endpoint_id}"
const GATEWAY: Readonly<Record<number, Shown>> = {
  401: ["gateway.test.ts", "takes no token but that of an attempt that lasts"],
  402: ["gateway.test.ts", "is capped by the run like every call"],
  409: ["gateway.test.ts", "answers 409 once the run has made as many calls as a run makes"],
  422: [
    "gateway.test.ts",
    "answers what providers refuse, and what there is no key for, so that libraries do not insist"
  ]
}
const CALLBACK: Shown = [
  "callbacks.test.ts",
  "is not changed by a callback that is forged, too old, of another attempt or of no use"
]
const VERSIONS_OF_KEYS: Shown = [
  "keyChanges.test.ts",
  "answers 409 when the version is not the one in If-Match, quoted or bare"
]

/** The tests of statuses in which an operation differs from the others. */
const HERE: Readonly<Record<string, Readonly<Record<number, Shown>>>> = {
  [`GET ${LOGIN}/login`]: {
    302: ["login.test.ts", "lets an invited person in, once the provider has vouched for the address"],
    404: ["login.test.ts", "is 404 through a provider that is not configured"],
    422: ["login.test.ts", "is 422 where it would lead elsewhere or to what is no organization"],
    503: ["login.test.ts", "is 503 while the provider does not answer as it should"]
  },
  [`GET ${LOGIN}/callback`]: {
    302: ["login.test.ts", "leads back to where it began when the person breaks it off"],
    403: ["login.test.ts", "refuses a person whom nobody has invited, and keeps nothing of them"]
  },
  [HOOK]: {
    202: ["hooks.test.ts", "answers 202 with a run whose input is the body, and notes that it received something"],
    401: ["hookSignatures.test.ts", "answers 401 to other secrets, other bodies, other times and no signature"],
    402: ["caps.test.ts", "answers 402 at the cap"],
    404: ["hooks.test.ts", "answers 404 alike to another token, another agent and what is no id"],
    422: ["hooks.test.ts", "answers 400, 413, 415 and 422 to bodies that it cannot take"]
  },
  "POST /api/v1/runs/{run_id}/callback": { 400: CALLBACK, 401: CALLBACK, 409: CALLBACK, 422: CALLBACK },
  "POST /api/v1/gateway/chat/completions": GATEWAY,
  "POST /api/v1/gateway/responses": GATEWAY,
  "PATCH /api/v1/agents/{agent_id}": {
    409: [
      "agentChanges.test.ts",
      "answers 409 version_conflict to another version in If-Match, and one of two rivals wins"
    ]
  },
  "PATCH /api/v1/byok/{provider}": {
    409: ["byokChanges.test.ts", "answers 409 to a version that is not there any more"]
  },
  "POST /api/v1/byok/{provider}/validate": {
    409: ["byokChanges.test.ts", "answers 409 provider_key_unreadable for a value that does not open"]
  },
  "PATCH /api/v1/tool-secrets/{secret_id}": {
    409: [
      "toolSecrets.test.ts",
      "are added once for an Idempotency-Key, and once for a name and for a header of the same hosts"
    ]
  },
  "PATCH /api/v1/org/tool-secrets/{template_id}": {
    409: ["orgToolSecrets.test.ts", "answers 409 to another version in If-Match, and 422 to what it does not send"]
  },
  "PATCH /api/v1/org/provider-keys/{template_id}": {
    409: [
      "orgProviderKeys.test.ts",
      "are refused where the provider refuses the value, by another version, and with a misplaced address"
    ]
  },
  "PATCH /api/v1/org/agent-templates/{template_id}": {
    409: [
      "orgAgentTemplates.test.ts",
      "are refused as an agent of these settings is, and leave their agents behind where they are deleted"
    ]
  },
  "PATCH /api/v1/schedules/{schedule_id}": {
    409: ["schedules.test.ts", "answers 409 version_conflict to another version in If-Match"]
  },
  "PATCH /api/v1/auth/api-keys/{key_id}": { 409: VERSIONS_OF_KEYS },
  "PATCH /api/v1/org/api-keys/{key_id}": { 409: VERSIONS_OF_KEYS },
  "POST /api/v1/runs/": {
    202: ["triggerRun.test.ts", "answers 202 at once with a queued run in a session of its own, and 404 nowhere near"],
    402: [
      "caps.test.ts",
      "fails a run alone whose call exceeds the cap; answers 402 once nearly all of it is spent, and no more once it is raised"
    ],
    409: ["triggerRun.test.ts", "answers 409 to a busy session when asked to reject, and queues behind it otherwise"],
    429: ["runLimits.test.ts", "answers 429 with Retry-After and the limit"]
  },
  "GET /api/v1/runs/{run_id}/record": { 409: ["runRecord.test.ts", "answers 409 run_not_finished before the end"] },
  "POST /api/v1/sessions/{session_id}/messages": {
    202: ["sessions.test.ts", "answers 202 with the run that resumes the paused one, and links the two"],
    402: ["caps.test.ts", "answers 402 at the cap, and the question stays open"],
    409: ["sessions.test.ts", "answers 409 to all but one of many replies at once to the same question"]
  },
  "POST /api/v1/sessions/{session_id}/cancel": {
    200: ["cancelSession.test.ts", "answers 200 with empty lists when nothing is active, and the second time"],
    202: ["cancelSession.test.ts", "answers 202 with what it cancelled and what is to be, and the running work stops"]
  },
  "POST /api/v1/org/webhooks": {
    409: ["webhooks.test.ts", "answers 409 to the eleventh active endpoint, however many are registered at once"]
  },
  [`PATCH ${ENDPOINT}`]: { 409: ["webhookEndpoints.test.ts", "answers 409 when there are ten active ones by then"] },
  [`POST ${ENDPOINT}/enable`]: {
    409: ["webhookEndpoints.test.ts", "answers 409 when there are ten active ones by then"]
  },
  [`POST ${ENDPOINT}/test`]: { 202: ["webhookEndpoints.test.ts", "answers 202 with the delivery and its address"] },
  [`POST ${ENDPOINT}/replay`]: {
    202: ["webhookReplays.test.ts", "answers 202 with the replay and its address"],
    409: [
      "webhookReplays.test.ts",
      "answers 409 for a disabled endpoint, and 429 to the sixth replay that has not ended"
    ],
    429: [
      "webhookReplays.test.ts",
      "answers 409 for a disabled endpoint, and 429 to the sixth replay that has not ended"
    ]
  },
  [`POST ${ENDPOINT}/deliveries/{delivery_id}/replay`]: {
    202: ["webhooks.test.ts", "answers 202 with the delivery, which is pending again"],
    409: ["webhooks.test.ts", "answers 409 for a deleted endpoint"]
  }
}

const textOf = (file: string): string => {
  const path = new URL(`../${file}`, import.meta.url)
  assert.isTrue(existsSync(path), file)
  return readFileSync(path, "utf8")
}

describe("a status of the document", () => {
  for (const { answers, name } of operations) {
    it(`of ${name} is shown by a test`, () => {
      for (const status of answers.keys()) {
        const shown = HERE[name]?.[status] ?? EVERYWHERE[status]
        assert.isDefined(shown, `${status}`)
        const [file, title] = shown as Shown
        assert.isTrue(textOf(file).includes(`"${title}"`), `${file}: ${title}`)
      }
    })
  }

  it("has no row here that the document does not have", () => {
    for (const [name, statuses] of Object.entries(HERE)) {
      const documented = operations.find((operation) => operation.name === name)?.answers
      for (const status of Object.keys(statuses)) assert.isTrue(documented?.has(Number(status)), `${name} ${status}`)
    }
  })

  it("which is not the same everywhere is shown for every operation that has it", () => {
    // 409 without a row of its own is that of a misused Idempotency-Key, and of no operation that takes none.
    for (const { answers, name, parameters } of operations) {
      if (!answers.has(409) || HERE[name]?.[409] !== undefined) continue
      assert.isTrue(
        parameters.some((parameter) => parameter.name === "Idempotency-Key"),
        name
      )
    }
  })
})
