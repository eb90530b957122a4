/** Turns that end on calls: tools that the caller answers, and calls that somebody has to approve of. */
import {
  type Agent,
  INTERRUPT_BYTES_MAX,
  type ReplyToSession,
  type Run,
  Runs,
  startRunWorker
} from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, json, ScriptedServer } from "./ScriptedServer.ts"
import { aChatAgent, aKey, ended, founded, layer, logOf, trigger } from "./support.ts"
import { calls, says } from "./wire.ts"

const schema = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } as const
const functionTools = ["find_order", "refund"].map((name) => ({ name, description: "Does it", parameters: schema }))

const given = Effect.fnUntraced(function* (override: Partial<Agent> = {}) {
  const caller = yield* founded()
  yield* aKey(caller)
  const agent = yield* aChatAgent(caller, { tools: ["http_request", "ask_user"], functionTools, ...override })
  yield* startRunWorker({ drainSeconds: 0 })
  const server = yield* ScriptedServer
  const runs = yield* Runs
  const models = () => server.asked.filter(({ url }) => url === "/v1/chat/completions")
  /** Begins a turn, and answers its run once that has ended. */
  const begin = Effect.fnUntraced(function* (...answers: ReadonlyArray<Answer>) {
    server.script(...answers)
    return yield* ended(caller, (yield* trigger(caller, agent, { prompt: "Do it" })).id)
  })
  /** Replies to the open question, and answers the reply's run once that has ended. */
  const reply = Effect.fnUntraced(function* (
    { sessionId }: Pick<Run, "sessionId">,
    said: Partial<ReplyToSession>,
    ...answers: ReadonlyArray<Answer>
  ) {
    if (answers.length > 0) server.script(...answers)
    const { value } = yield* runs.replyToSession({ caller, sessionId, message: null, ...said })
    return yield* ended(caller, value.id)
  })
  /** The messages that the model was asked with last, behind the first, in short. */
  const asked = () => {
    const messages = models().at(-1)?.body["messages"] as unknown as ReadonlyArray<Record<string, unknown>>
    return messages.slice(2).map(({ content, role, tool_call_id, tool_calls }) => {
      const made = (tool_calls ?? []) as ReadonlyArray<{ readonly function: { readonly arguments: string } }>
      if (made.length > 0) return `calls: ${made.map((call) => call.function.arguments).join(" ")}`
      return role === "tool" ? `${tool_call_id}: ${content}` : `${role}: ${content}`
    })
  }
  const toolsIn = (run: Run) =>
    Effect.map(logOf(caller, run.id), (log) =>
      log.flatMap(({ data, type }) => (type.startsWith("tool.") ? [`${type} ${data["tool_call_id"]}`] : []))
    )
  const request = (id: string) => ({ id, name: "http_request", input: { url: `${server.url}/${id}` } })
  const made = () => server.asked.filter(({ url }) => url !== "/v1/chat/completions").map(({ url }) => url)
  return { agent, asked, begin, caller, made, models, reply, request, runs, server, toolsIn }
})

const order = (id: string, input: unknown = { id: 7 }) => ({ id, name: "find_order", input })
const callsOf = ({ interrupt }: Run): ReadonlyArray<Record<string, unknown>> => {
  const waiting = interrupt?.["calls"]
  return Array.isArray(waiting) ? waiting : []
}
const idsOf = (run: Run) => callsOf(run).map((call) => String(call["tool_call_id"]))

describe("tools that the caller answers", () => {
  it.live("end the turn once all others are done, and go on with their results", () =>
    Effect.gen(function* () {
      const { asked, begin, models, reply, request, toolsIn } = yield* given()
      const paused = yield* begin(calls(order("a"), request("b"), order("c", { id: 8 })), json(200, { b: 1 }))
      assert.deepInclude(paused, { status: "succeeded", paused: true, message: "Results are asked for: find_order" })
      assert.deepStrictEqual(paused.interrupt, {
        type: "tool_calls",
        calls: [
          { tool_call_id: "a", name: "find_order", input: { id: 7 } },
          { tool_call_id: "c", name: "find_order", input: { id: 8 } }
        ]
      })
      const described = models()[0]?.body["tools"] as unknown as ReadonlyArray<{ readonly function: object }>
      assert.deepInclude(described.at(-1)?.function, { name: "refund", parameters: schema })
      assert.deepStrictEqual(yield* toolsIn(paused), [
        ...["tool.started 1.b", "tool.completed 1.b"],
        ...["tool.started 1.a", "tool.started 1.c"]
      ])
      const toolResults = [
        { toolCallId: "c", error: "No such order" },
        { toolCallId: "a", output: { state: "sent" } }
      ]
      const done = yield* reply(paused, { toolResults }, says("It is sent."))
      assert.deepInclude(done, { status: "succeeded", paused: false, message: "It is sent.", prompt: null })
      const [made, a, b, c, ...more] = asked()
      assert.match(made ?? "", /^calls/)
      assert.deepStrictEqual([a, c], ['a: {"state":"sent"}', "c: No such order"])
      assert.match(b ?? "", /^b: /)
      assert.isEmpty(more)
      assert.deepStrictEqual([...(yield* toolsIn(done))].sort(), ["tool.completed 1.a", "tool.completed 1.c"])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("pause again on the rest where a part is answered, without a request to the model", () =>
    Effect.gen(function* () {
      const { asked, begin, models, reply, toolsIn } = yield* given()
      const paused = yield* begin(calls(order("a"), order("b"), order("c")))
      const part = yield* reply(paused, { toolResults: [{ toolCallId: "b", output: "B" }] })
      assert.deepInclude(part, { paused: true, resumesRunId: paused.id, costUsd: "0.00" })
      assert.deepStrictEqual(idsOf(part), ["a", "c"])
      assert.deepStrictEqual(yield* toolsIn(part), ["tool.completed 1.b"])
      assert.strictEqual(models().length, 1)
      const rest = [
        { toolCallId: "c", output: "C" },
        { toolCallId: "a", output: "A" }
      ]
      yield* reply(part, { toolResults: rest }, says("All."))
      assert.deepStrictEqual(asked().slice(1), ["a: A", "b: B", "c: C"])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("are not handed over with arguments that do not fit their schema, of which the model learns", () =>
    Effect.gen(function* () {
      const { asked, begin, toolsIn } = yield* given({ approvals: ["refund"] })
      const wrong = { id: "b", name: "refund", input: { id: "seven" } }
      const paused = yield* begin(calls(order("a", {}), wrong), calls(order("c")))
      assert.deepStrictEqual(paused.interrupt, {
        type: "tool_calls",
        calls: [{ tool_call_id: "c", name: "find_order", input: { id: 7 } }]
      })
      assert.deepStrictEqual(asked().slice(1), [
        "a: The call was not made: its arguments do not fit the tool's schema: it must have the member 'id'",
        "b: The call was not made: its arguments do not fit the tool's schema: /id must be of the type integer"
      ])
      assert.deepStrictEqual((yield* toolsIn(paused)).at(-1), "tool.started 2.c")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("count as failed where the caller says something else instead, which goes to the model", () =>
    Effect.gen(function* () {
      const { asked, begin, reply } = yield* given()
      const paused = yield* begin(calls(order("a"), order("b")))
      const said = { message: "Never mind", toolResults: [{ toolCallId: "a", output: "A" }] }
      assert.deepInclude(yield* reply(paused, said, says("Fine.")), { paused: false, message: "Fine." })
      assert.deepStrictEqual(asked().slice(1), [
        "a: A",
        "b: There is no result: the user has said something else instead",
        "user: Never mind"
      ])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("refuse results of calls that do not wait, and twice the same", () =>
    Effect.gen(function* () {
      const { begin, caller, reply, runs } = yield* given()
      const paused = yield* begin(calls(order("a"), order("b")))
      const refused = (said: Partial<ReplyToSession>) =>
        Effect.flip(runs.replyToSession({ caller, sessionId: paused.sessionId, message: null, ...said }))
      const cases = [
        [
          { toolResults: [{ toolCallId: "z", output: 1 }] },
          ["toolResults", 0, "toolCallId"],
          /must be one of .*: a, b/
        ],
        [
          {
            toolResults: [
              { toolCallId: "a", output: 1 },
              { toolCallId: "a", output: 2 }
            ]
          },
          ["toolResults", 1, "toolCallId"],
          /must not come twice/
        ],
        [{ approvals: [{ toolCallId: "a", decision: "approve" }] }, ["approvals"], /waits for approvals/]
      ] as const
      for (const [said, path, detail] of cases) {
        const problem = yield* refused(said)
        assert.strictEqual(problem._tag, "CallReplyRefused")
        if (problem._tag !== "CallReplyRefused") continue
        assert.deepStrictEqual([...problem.path], [...path])
        assert.match(problem.detail, detail)
      }
      const part = yield* reply(paused, { toolResults: [{ toolCallId: "a", output: 1 }] })
      assert.strictEqual((yield* refused({ toolResults: [{ toolCallId: "a", output: 1 }] }))._tag, "CallReplyRefused")
      assert.strictEqual((yield* refused({ runId: paused.id, message: "x" }))._tag, "InterruptAlreadyAnswered")
      assert.deepStrictEqual(idsOf(part), ["b"])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("refuse late results by what became of the question, whether it is named or not", () =>
    Effect.gen(function* () {
      const { begin, caller, reply, runs } = yield* given()
      const late = (run: Run) =>
        Effect.map(
          Effect.forEach([undefined, run.id], (runId) =>
            Effect.flip(
              runs.replyToSession({
                caller,
                sessionId: run.sessionId,
                message: null,
                toolResults: [{ toolCallId: "a", output: "A" }],
                ...(runId === undefined ? {} : { runId })
              })
            )
          ),
          (problems) => problems.map(({ _tag }) => _tag)
        )
      const answered = yield* begin(calls(order("a")))
      const [call] = (yield* logOf(caller, answered.id)).filter(({ type }) => type === "llm.request")
      assert.deepInclude(call?.data, { finish_reason: "tool_calls" })
      yield* reply(answered, { toolResults: [{ toolCallId: "a", output: "A" }] }, says("Done."))
      assert.deepStrictEqual(yield* late(answered), ["InterruptAlreadyAnswered", "InterruptAlreadyAnswered"])
      const cancelled = yield* begin(calls(order("a")))
      yield* runs.cancelSession({ caller, sessionId: cancelled.sessionId, reason: null, mode: "graceful" })
      assert.deepStrictEqual(yield* late(cancelled), ["InterruptCancelled", "InterruptCancelled"])
      const never = yield* begin(says("Hello."))
      assert.deepStrictEqual(yield* late(never), ["CallReplyRefused", "RunNotPaused"])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("are known by ids of our own where those of the provider cannot be passed on", () =>
    Effect.gen(function* () {
      const { asked, begin, reply } = yield* given()
      const [long, secret] = ["x".repeat(300), "sk-abcdefghijklmnopqrstuvwxyz012345"]
      const paused = yield* begin(calls(order(long), order("call_1"), order(secret), order("__proto__")))
      assert.deepStrictEqual(idsOf(paused), ["call_1_", "call_1", "call_3", "call_4"])
      const toolResults = idsOf(paused).map((toolCallId) => ({ toolCallId, output: toolCallId }))
      assert.isFalse((yield* reply(paused, { toolResults }, says("Done."))).paused)
      assert.deepStrictEqual(asked().slice(1), [
        `${long}: call_1_`,
        "call_1: call_1",
        `${secret}: call_3`,
        "__proto__: call_4"
      ])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("hand over as many calls as an interrupt holds, and tell the model of one that is too large alone", () =>
    Effect.gen(function* () {
      const { asked, begin, reply } = yield* given()
      const long = (length: number) => ({ id: 1, text: "x".repeat(length) })
      const large = Math.floor(INTERRUPT_BYTES_MAX * 0.6)
      const paused = yield* begin(
        calls(order("a", long(large)), order("huge", long(INTERRUPT_BYTES_MAX)), order("b", long(large)))
      )
      assert.isFalse(paused.interruptTruncated)
      assert.deepStrictEqual(idsOf(paused), ["a"])
      const second = yield* reply(paused, { toolResults: [{ toolCallId: "a", output: "A" }] })
      assert.deepStrictEqual(idsOf(second), ["b"])
      yield* reply(second, { toolResults: [{ toolCallId: "b", output: "B" }] }, says("Done."))
      const [, a, huge, b] = asked()
      assert.deepStrictEqual([a, b], ["a: A", "b: B"])
      assert.match(huge ?? "", /must be at most \d+ bytes/)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})

describe("calls that need approval", () => {
  it.live(
    "are made once they are approved, with other arguments where some are given, and not where they are denied",
    () =>
      Effect.gen(function* () {
        const { asked, begin, made, reply, request, server, toolsIn } = yield* given({ approvals: ["http_request"] })
        const paused = yield* begin(calls(request("a"), request("b"), request("c")))
        assert.strictEqual(paused.interrupt?.["type"], "approvals")
        assert.deepStrictEqual(idsOf(paused), ["a", "b", "c"])
        assert.isEmpty(made())
        assert.isEmpty(yield* toolsIn(paused))
        const approvals = [
          { toolCallId: "a", decision: "approve", input: { url: `${server.url}/instead` } },
          { toolCallId: "b", decision: "deny", reason: "Not today" }
        ] as const
        const part = yield* reply(paused, { approvals }, json(200, { ok: 1 }))
        assert.deepStrictEqual(made(), ["/instead"])
        assert.deepStrictEqual(idsOf(part), ["c"])
        const last = { approvals: [{ toolCallId: "c", decision: "approve" }] } as const
        assert.deepInclude(yield* reply(part, last, json(200, { ok: 2 }), says("Done.")), { message: "Done." })
        assert.deepStrictEqual(made(), ["/instead", "/c"])
        const [shown, a, b, c] = asked()
        assert.include(shown, "/instead")
        assert.match(a ?? "", /^a: .*ok/)
        assert.strictEqual(b, "b: The call was denied: Not today")
        assert.match(c ?? "", /^c: .*ok/)
      }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("wait again, with the reason, where the arguments that are given do not fit the tool", () =>
    Effect.gen(function* () {
      const { begin, made, reply, request } = yield* given({ approvals: ["*"] })
      const paused = yield* begin(calls(request("a")))
      const approvals = [{ toolCallId: "a", decision: "approve", input: { url: 7 } }] as const
      const again = yield* reply(paused, { approvals })
      assert.isEmpty(made())
      const [call] = callsOf(again)
      assert.match(String(call?.["error"]), /The input given does not fit: \/url/)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("come before tools of the caller, which come before a question, one kind a pause", () =>
    Effect.gen(function* () {
      const { asked, begin, made, reply, request } = yield* given({ approvals: ["refund", "http_request"] })
      const question = { id: "q", name: "ask_user", input: { question: "Sure?" } }
      const refund = { id: "r", name: "refund", input: { id: 7 } }
      const first = yield* begin(calls(question, order("o"), refund, request("h")))
      assert.deepStrictEqual([first.interrupt?.["type"], ...idsOf(first)], ["approvals", "r", "h"])
      const approvals = [
        { toolCallId: "r", decision: "approve", input: { id: 9 } },
        { toolCallId: "h", decision: "approve" }
      ] as const
      const second = yield* reply(first, { approvals }, json(200, {}))
      assert.deepStrictEqual(made(), ["/h"])
      assert.deepStrictEqual(second.interrupt, {
        type: "tool_calls",
        calls: [
          { tool_call_id: "o", name: "find_order", input: { id: 7 } },
          { tool_call_id: "r", name: "refund", input: { id: 9 } }
        ]
      })
      const toolResults = ["o", "r"].map((toolCallId) => ({ toolCallId, output: toolCallId }))
      const third = yield* reply(second, { toolResults })
      assert.deepStrictEqual(third.interrupt, { type: "question", question: "Sure?" })
      const done = yield* reply(third, { message: "Yes" }, says("Done."))
      assert.deepInclude(done, { message: "Done.", paused: false })
      assert.deepStrictEqual(
        asked().map((one) => one.slice(0, 3)),
        ["cal", "q: ", "o: ", "r: ", "h: "]
      )
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("are not made where the caller says something else instead", () =>
    Effect.gen(function* () {
      const { asked, begin, made, reply, request } = yield* given({ approvals: ["*"] })
      const paused = yield* begin(calls(request("a"), request("b")))
      const said = { message: "Only this", approvals: [{ toolCallId: "b", decision: "approve" }] } as const
      yield* reply(paused, said, json(200, { b: 1 }), says("Fine."))
      assert.deepStrictEqual(made(), ["/b"])
      const [, a, b, user] = asked()
      assert.match(a ?? "", /something else instead/)
      assert.match(b ?? "", /^b: .*body/)
      assert.strictEqual(user, "user: Only this")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("are closed with their session, and stay in its memory as not made", () =>
    Effect.gen(function* () {
      const { agent, asked, begin, caller, request, runs, server } = yield* given({ approvals: ["*"] })
      const { sessionId } = yield* begin(calls(request("a")))
      yield* runs.cancelSession({ caller, sessionId, reason: null, mode: "graceful" })
      server.script(says("Fine."))
      yield* ended(caller, (yield* trigger(caller, agent, { prompt: "Next", sessionId })).id)
      assert.deepStrictEqual(asked().slice(1), [
        "a: There is no result: the turn ended before there was one",
        "user: Next"
      ])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
