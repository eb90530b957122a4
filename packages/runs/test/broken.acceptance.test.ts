/** Ports that are broken on purpose, one fault each: the suite of batched acceptance must not let one through. */
import { Idempotency, UnitOfWork } from "@agent-platform/kernel"
import { layer as kernel, MemoryDatabase } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { type Agent, AgentStore, RunAcceptance } from "@agent-platform/runs"
import { layer as stores } from "@agent-platform/runs/memory"
import { acceptanceContract } from "@agent-platform/runs/testing"
import { Effect, Layer, Result } from "effect"
import { bite } from "../../kernel/test/bite.ts"
import { layerRecipes } from "./support.ts"

const memory = layerRecipes().pipe(
  Layer.provideMerge(Layer.provideMerge(stores, kernel)),
  Layer.provideMerge(Tenants.layerUnfounded)
)

const fault = <Port>(
  name: string,
  broken: Layer.Layer<Port, never, Layer.Success<typeof memory>>,
  caughtBy: ReadonlyArray<string>
) => bite(name, () => acceptanceContract("broken ports", Layer.provideMerge(broken, memory)), caughtBy)

fault(
  "a store that begins one session at a time",
  Layer.effect(
    RunAcceptance,
    RunAcceptance.use((store) => Effect.succeed({ ...store, insert: (added) => store.insert(added.slice(0, 1)) }))
  ),
  [
    "are written together, each with its session and its log, and belong to their own workspaces",
    "are refused one by one, and nothing of the refused remains",
    "go without those that join a session, which are accepted by themselves",
    "are answered and announced when they are committed and not before",
    "are accepted although one of those who ask goes away, and given up when all have",
    "create one run for each idempotency key, and answer each repetition with it",
    "create one run for one idempotency key, however many come with it at once",
    "are accepted once each although the answer of their commit is lost"
  ]
)

fault(
  "a store that finds the agents of others",
  Layer.effect(
    AgentStore,
    Effect.gen(function* () {
      const store = yield* AgentStore
      const { table } = yield* MemoryDatabase
      const agents = table<Agent>("agent")
      return { ...store, holdLive: (asked) => Effect.forEach(asked, ({ id }) => agents.get(id)) }
    })
  ),
  ["are refused one by one, and nothing of the refused remains", "leave a key free whose run was refused"]
)

fault(
  "a keeper of idempotency keys that takes each for new",
  Layer.effect(
    Idempotency,
    Idempotency.use((keys) =>
      Effect.succeed({ ...keys, claim: (...requests) => Effect.succeed(requests.map(() => Result.succeed(undefined))) })
    )
  ),
  [
    "create one run for each idempotency key, and answer each repetition with it",
    "create one run for one idempotency key, however many come with it at once",
    "refuse a key that came before with another body, and no other"
  ]
)

fault(
  "a keeper of idempotency keys that records one at a time",
  Layer.effect(
    Idempotency,
    Idempotency.use((keys) => Effect.succeed({ ...keys, record: (...created) => keys.record(...created.slice(0, 1)) }))
  ),
  ["create one run for each idempotency key, and answer each repetition with it"]
)

fault(
  "a unit of work that commits what failed",
  Layer.effect(
    UnitOfWork,
    MemoryDatabase.use((database) =>
      Effect.succeed(UnitOfWork.of({ atomic: (effect) => Effect.flatten(database.atomic(Effect.exit(effect))) }))
    )
  ),
  ["are accepted although what is written for one of them fails, of which nothing remains"]
)
