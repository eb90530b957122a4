/** The client's stream of a workspace's runs, over connections that break. */
import { setImmediate } from "node:timers/promises"
import { type AgentPlatformClient, ApiProblem, type ChangedRun, createClient } from "@agent-platform/client"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerWithWorkers, type Tenant, TestApi } from "./support.ts"

/** A way to the service on which streams are watched, broken off and held up. */
const makeWay = () => {
  const openings: Array<string | null> = []
  const begun = Promise.withResolvers<void>()
  let open = Promise.resolve()
  let breakOff: () => void = () => undefined
  const way = async (url: string, init: RequestInit) => {
    if (!url.includes("/runs/stream")) return fetch(url, init)
    openings.push(new Headers(init.headers).get("last-event-id"))
    await open
    const response = await fetch(url, init)
    if (!response.ok) return response
    // Nothing is read that the client does not wait for, so that it has what was read when the stream breaks.
    const watched = new TransformStream<Uint8Array, Uint8Array>(
      {
        start: (controller) => {
          breakOff = () => controller.error(new Error("The connection broke off"))
          controller.enqueue(new TextEncoder().encode("retry: 1\n\n"))
        },
        transform: (chunk, controller) => {
          controller.enqueue(chunk)
          begun.resolve()
        }
      },
      undefined,
      { highWaterMark: 0 }
    )
    return new Response(response.body?.pipeThrough(watched), response)
  }
  return {
    fetch: way as typeof fetch,
    /** The `Last-Event-ID` of each opening of a stream. */
    openings,
    /** Resolves when the client knows where its stream began. */
    begun: begun.promise.then(() => setImmediate()),
    /** Breaks the stream off, and holds the next one up until the function is called that this answers. */
    cut: () => {
      const held = Promise.withResolvers<void>()
      open = held.promise
      breakOff()
      return held.resolve
    }
  }
}

const asCaller = (
  use: (client: AgentPlatformClient, follower: AgentPlatformClient, way: ReturnType<typeof makeWay>) => Promise<void>,
  keyOf = (_: AgentPlatformClient, { workspaceKey }: Tenant) => Promise.resolve(workspaceKey)
) =>
  Effect.gen(function* () {
    const api = yield* TestApi
    const tenant = yield* api.tenant
    const way = makeWay()
    const client = createClient({ baseUrl: api.url, apiKey: tenant.workspaceKey })
    yield* Effect.promise(async () => {
      const apiKey = await keyOf(client, tenant)
      await use(client, createClient({ baseUrl: api.url, apiKey, fetch: way.fetch }), way)
    })
  })

const anAgent = async (client: AgentPlatformClient) =>
  (await client.agents.createAgent({ body: { name: "Followed" } })).agent_id

const triggered = (client: AgentPlatformClient, agent_id: string, steps: ReadonlyArray<object> = []) =>
  client.runs.triggerRun({ body: { agent_id, input: { steps }, wait_seconds: 20 } })

const refusal = (call: Promise<unknown>): Promise<unknown> => call.catch((failure: unknown) => failure)

/** The changes up to the end of this run, the first of which was asked for already. */
const untilEnd = async (changes: AsyncIterator<ChangedRun>, runId: string, first = changes.next()) => {
  const seen: Array<ChangedRun> = []
  for (let next = await first; ; next = await changes.next()) {
    if (next.done) throw new Error("The stream has ended")
    seen.push(next.value)
    if (next.value.run.run_id === runId && next.value.run.finished_at !== null) return seen
  }
}

layer(layerWithWorkers, { excludeTestServices: true })("the client's stream of runs", (it) => {
  it.effect("tells of each change from when it began, and goes on after a position", () =>
    asCaller(async (client, follower, { begun, openings }) => {
      const agent = await anAgent(client)
      await triggered(client, agent)
      const changes = follower.followRuns()
      const first = changes.next()
      await begun
      const run = await triggered(client, agent)
      const seen = await untilEnd(changes, run.run_id, first)
      assert.isTrue(seen.every((change) => change.run.run_id === run.run_id))
      assert.deepStrictEqual(seen.at(-1)?.run, await client.runs.getRun({ params: { run_id: run.run_id } }))
      await changes.return?.()
      const missed = await triggered(client, agent)
      const after = seen.at(-1)!.position
      const more = follower.followRuns({ after })
      const next = more.next()
      while (openings.length < 2) await setImmediate()
      assert.strictEqual(openings.at(-1), after, "the stream begins where it is told to")
      const rest = await untilEnd(more, missed.run_id, next)
      assert.isTrue(rest.every((change) => change.run.run_id === missed.run_id))
    })
  )

  it.effect("tells of one agent's runs that come to a status", () =>
    asCaller(async (client, follower, { begun }) => {
      const [agent, other] = [await anAgent(client), await anAgent(client)]
      const changes = follower.followRuns({ query: { agent_id: agent, status: "failed" } })
      const first = changes.next()
      await begun
      await triggered(client, other, [{ fail: "no" }])
      await triggered(client, agent)
      const { run_id } = await triggered(client, agent, [{ fail: "no" }])
      assert.strictEqual((await first).value?.run.run_id, run_id)
      await changes.return?.()
    })
  )

  it.effect("leaves nothing out and repeats nothing where connections break, before the first change and later", () =>
    asCaller(async (client, follower, { begun, cut, openings }) => {
      const agent = await anAgent(client)
      const abort = new AbortController()
      const changes = follower.followRuns({ signal: abort.signal })
      let next = changes.next()
      await begun
      const seen: Array<ChangedRun> = []
      for (let round = 0; round < 3; round++) {
        const connect = cut()
        const missed = await triggered(client, agent)
        // Without it the stream would begin anew, and what was missed would be waited for in vain.
        while (openings.length < round + 2) await setImmediate()
        assert.isNotNull(openings.at(-1), "the stream goes on where it broke off")
        connect()
        const came = await untilEnd(changes, missed.run_id, next)
        assert.isTrue(came.every((change) => change.run.run_id === missed.run_id))
        seen.push(...came)
        next = changes.next()
      }
      assert.strictEqual(new Set(seen.map(({ position }) => position)).size, seen.length)
      assert.isNull(openings[0])
      assert.notInclude(openings.slice(1), null)
      assert.lengthOf(openings, 4)
      abort.abort()
      await refusal(next)
    })
  )

  it.effect(
    "ends with the signal's reason when it is aborted, while a connection is open and while there is none",
    () =>
      asCaller(async (_, follower, { begun, cut, openings }) => {
        for (const isOpen of [true, false]) {
          const abort = new AbortController()
          const next = refusal(follower.followRuns({ signal: abort.signal }).next())
          await begun
          if (!isOpen) {
            while (openings.length < 2) await setImmediate()
            cut()
          }
          abort.abort(new Error("enough"))
          assert.strictEqual(((await next) as Error).message, "enough")
        }
      })
  )

  it.effect("ends with the problem once its key is revoked", () => {
    let id = ""
    return asCaller(
      async (client, follower, { begun }) => {
        const next = refusal(follower.followRuns().next())
        await begun
        await client.auth.revokeApiKey({ params: { key_id: id } })
        assert.deepInclude(await next, { status: 401, code: "credential_revoked" })
        assert.instanceOf(await next, ApiProblem)
      },
      async (client) => {
        const made = await client.auth.createApiKey({ body: { name: "Follower" } })
        id = made.id
        return made.key ?? ""
      }
    )
  })
})
