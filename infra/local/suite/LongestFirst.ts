import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The test files that take longest, most of it waiting: begun last, each would run alone in the end. */
const LONGEST = [
  // Not long, but the link that it tries is good for ten minutes from the beginning of the whole run.
  "apps/dashboard/test/firstSteps.browser.test.ts",
  "infra/system/crash.postgres.test.ts",
  "packages/pg-boss/test/holders.postgres.test.ts",
  "packages/postgres/test/ports.postgres.test.ts",
  "packages/pg-boss/test/ports.postgres.test.ts",
  "packages/models/test/chat/features/features.test.ts",
  "apps/api/test/conformance/conformance.postgres.test.ts",
  "apps/api/test/reach.test.ts",
  "infra/worst/worst.long.postgres.test.ts",
  "infra/system/recovery.long.postgres.test.ts",
  "infra/system/restartRounds.long.postgres.test.ts",
  "infra/system/crashRounds.long.postgres.test.ts",
  "infra/system/deliveryCrash.long.postgres.test.ts",
  "infra/system/ownAgents.long.postgres.test.ts",
  "infra/system/recipes.long.postgres.test.ts",
  "infra/local/test/platform.long.test.ts"
]

const placeOf = ({ moduleId }: TestSpecification) => {
  const place = LONGEST.findIndex((path) => moduleId.replaceAll("\\", "/").endsWith(path))
  return place === -1 ? LONGEST.length : place
}

/** Vitest's order, but the longest files before all others. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}
