/** Long answers end with the session that asked for them. Spec: API keys 5; OAuth. */
import { OrganizationId, UnitOfWork } from "@agent-platform/kernel"
import { LoginStore, MemberStore } from "@agent-platform/keys"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Schedule } from "effect"
import { aPerson, openSession, type PersonSession } from "./people.ts"
import { anAgent, layerWithWorkers, type Tenant, TestApi } from "./support.ts"

layer(layerWithWorkers, { excludeTestServices: true })("what a session has open", (it) => {
  /** A run that takes its time. */
  const running = Effect.fnUntraced(function* (tenant: Tenant) {
    const api = yield* TestApi
    const run = yield* api.call("POST", "/api/v1/runs/", {
      key: tenant.workspaceKey,
      body: { agent_id: yield* anAgent(tenant), input: { steps: [{ sleep_ms: 60_000 }] } }
    })
    return `/api/v1/runs/${run.json["run_id"]}`
  })

  /** Makes a request that waits, and goes on once it has been let in: that is when the session's use is noted. */
  const whileInUse = <A, E, R>({ session, user }: PersonSession, request: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const [logins, unit] = [yield* LoginStore, yield* UnitOfWork]
      const now = yield* DateTime.now
      yield* unit.atomic(logins.noteUse(session.id, DateTime.subtract(now, { minutes: 2 }), now))
      const waiting = yield* Effect.forkChild(request)
      const isNoted = Effect.map(logins.list(user.id, now, { limit: 50, before: undefined }), ({ items }) =>
        items.some(({ id, lastSeenAt }) => id === session.id && DateTime.isGreaterThanOrEqualTo(lastSeenAt, now))
      )
      yield* Effect.repeat(isNoted, { until: (noted) => noted, schedule: Schedule.spaced("20 millis") })
      return waiting
    })

  const inWorkspace = ({ headers }: PersonSession, { workspaceId }: Tenant) => ({
    ...headers,
    "x-workspace-id": workspaceId
  })

  it.effect("ends when the person ends the session from another one", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const path = yield* running(tenant)
      const here = yield* aPerson(tenant, "viewer")
      const there = yield* openSession(here.member, here.user)
      const headers = inWorkspace(there, tenant)
      const stream = yield* api.fetch("GET", `${path}/logs`, { headers })
      assert.strictEqual(stream.status, 200)
      const waiting = yield* whileInUse(there, api.call("GET", `${path}?wait_seconds=60`, { headers }))
      yield* api.call("DELETE", `/api/v1/auth/sessions/${there.session.id}`, { headers: here.unsafe })
      yield* Effect.promise(() => stream.text())
      const { json, status } = yield* Fiber.join(waiting)
      assert.strictEqual(`${status} ${json["code"]}`, "401 credential_revoked")
    })
  )

  it.effect("ends when the person is removed", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [members, unit] = [yield* MemberStore, yield* UnitOfWork]
      const tenant = yield* api.tenant
      const path = yield* running(tenant)
      const person = yield* aPerson(tenant, "member")
      const stream = yield* api.fetch("GET", `${path}/logs`, { headers: inWorkspace(person, tenant) })
      assert.strictEqual(stream.status, 200)
      yield* unit.atomic(members.remove(OrganizationId.make(tenant.organizationId), person.member.id))
      yield* Effect.promise(() => stream.text())
    })
  )
})
