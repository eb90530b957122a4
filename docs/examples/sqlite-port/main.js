// The service: writes an event and reads it back, by the ports alone.
import { atomic, EventId, EventLog, OrganizationId } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { layer } from "./sqlite.js"

const id = EventId.make("01a1fd50-ceeb-745b-8b02-bf48380265e2")
const organizationId = OrganizationId.make("01a1fd50-ceeb-745b-8b02-bf49d85f268d")

const program = Effect.gen(function* () {
  const log = yield* EventLog
  const [there] = yield* log.find([id])
  if (there === undefined) {
    const createdAt = yield* DateTime.now
    yield* atomic(log.append({ id, type: "greeted", organizationId, workspaceId: null, createdAt, body: "{}" }))
  }
  return (yield* log.find([id]))[0]?.type
})

console.log(await Effect.runPromise(Effect.provide(program, layer("events.db"))))
