import { afterAll, assert, beforeAll, describe, type RunnerTask, type RunnerTestCase, vi } from "vitest"

const casesOf = (tasks: ReadonlyArray<RunnerTask>): ReadonlyArray<RunnerTestCase> =>
  tasks.flatMap((task) => (task.type === "test" ? [task] : casesOf(task.tasks)))

/**
 * Proves that a contract suite bites. Runs the suite over an adapter that is broken on purpose and expects the cases
 * named in `caughtBy` to fail and every other one to pass: a suite that lets the fault through fails here.
 */
export const bite = (fault: string, suite: () => void, caughtBy: ReadonlyArray<string>) =>
  describe(`the suite catches ${fault}`, () => {
    // biome-ignore lint/correctness/noEmptyPattern: from this pattern vitest reads which fixtures the hook wants
    beforeAll(({}, self) => {
      // The failures are wished for: their traces would only hide those that are not.
      vi.spyOn(console, "log").mockImplementation(() => undefined)
      const biting = casesOf(self.tasks).filter((task) => caughtBy.includes(task.name))
      assert.sameMembers(
        biting.map((task) => task.name),
        [...caughtBy]
      )
      for (const task of biting) task.fails = true
    })
    afterAll(() => vi.mocked(console.log).mockRestore())
    suite()
  })
