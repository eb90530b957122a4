import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./local/suite/LongestFirst.ts"

/** Every test of the repository, on Node and on Deno; `*.postgres.test.ts` gets a Postgres through `postgresUrl`. */
export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    // An example that proves adapters by our suites cannot part from the ports.
    include: [
      "packages/*/test/**/*.test.ts",
      "apps/*/test/**/*.test.ts",
      "infra/**/*.test.ts",
      "docs/examples/*/*.test.js"
    ],
    globalSetup: ["./local/testDatabase.ts", "../apps/dashboard/test/stage.ts"].map((path) =>
      fileURLToPath(new URL(path, import.meta.url))
    ),
    pool: "forks",
    // Files share processes, so none leaves anything behind outside of its layers and hooks: in a process each, the files of the
    // API took three times the processor time, for the same imports again.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // More than there are processors: many tests wait for leases.
    maxWorkers: availableParallelism() + 2,
    // For what hangs: what is waited for has a shorter limit of its own. A busy machine takes ten times as long as a quiet one.
    testTimeout: 300_000,
    hookTimeout: 300_000
  }
})
