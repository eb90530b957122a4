import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { exitCodeOf, lastLine, leftOutIn, none, ofChecker, ofLines, ofVitest, plus } from "../suite/counts.ts"
import { credentialIn } from "../suite/credentialIn.ts"
import { temporaryFolder } from "./stage.ts"

const report = (files: ReadonlyArray<{ readonly status: string; readonly tests: ReadonlyArray<string> }>): string => {
  const path = join(temporaryFolder(), "report.json")
  const testResults = files.map(({ status, tests }) => ({
    status,
    assertionResults: tests.map((one) => ({ status: one }))
  }))
  writeFileSync(path, JSON.stringify({ testResults }))
  return path
}

describe("the counts of npm test", () => {
  it("are those of vitest's report", () => {
    const path = report([
      { status: "passed", tests: ["passed", "passed", "skipped", "todo"] },
      { status: "failed", tests: ["passed", "failed"] }
    ])
    assert.deepStrictEqual(ofVitest(path, 1), { passed: 3, failed: 1, skipped: 2 })
  })

  it("hold a failed test for a file that does not load", () => {
    const path = report([
      { status: "passed", tests: ["passed"] },
      { status: "failed", tests: [] }
    ])
    assert.deepStrictEqual(ofVitest(path, 1), { passed: 1, failed: 1, skipped: 0 })
  })

  it("hold a failed test for a run that failed outside of its tests", () => {
    assert.deepStrictEqual(ofVitest(report([{ status: "passed", tests: ["passed"] }]), 1), {
      passed: 1,
      failed: 1,
      skipped: 0
    })
  })

  it("hold a failed test for a run without a report", () => {
    assert.deepStrictEqual(ofVitest(join(temporaryFolder(), "none.json"), 0), { passed: 0, failed: 1, skipped: 0 })
  })

  it("take each line of a program of ours, and show what it left out", () => {
    const said = "ok      one\nok      two\nleft out: python3 with venv cannot be had here\nFAILED  three\nwhy: ok"
    assert.deepStrictEqual(ofLines(said, 1), { passed: 2, failed: 1, skipped: 1 })
    assert.deepStrictEqual(leftOutIn(said), ["left out: python3 with venv cannot be had here"])
    assert.deepStrictEqual(ofLines("ok      one\nit broke off", 1), { passed: 1, failed: 1, skipped: 0 })
  })

  it("take a checker as one test", () => {
    assert.deepStrictEqual(plus(ofChecker(0), ofChecker(2)), { passed: 1, failed: 1, skipped: 0 })
  })

  it("end in one line and an exit code that is 0 only when tests ran and none failed", () => {
    assert.strictEqual(lastLine({ passed: 812, failed: 0, skipped: 3 }), "tests: 812 passed, 0 failed, 3 skipped")
    assert.strictEqual(exitCodeOf({ passed: 812, failed: 0, skipped: 3 }), 0)
    assert.strictEqual(exitCodeOf({ passed: 812, failed: 1, skipped: 0 }), 1)
    assert.strictEqual(exitCodeOf(none), 1)
    assert.strictEqual(exitCodeOf({ passed: 0, failed: 0, skipped: 3 }), 1)
  })
})

describe("a credential in what was printed", () => {
  it("is found wherever it stands, and shown by its beginning alone", () => {
    const digits = "D3rG0".repeat(10)
    for (const credential of [`apk_ws_${digits}`, `apk_org_${digits}`, `whsec_${digits}=`]) {
      const begun = credentialIn(`{"level":30,"msg":"GET /x?key=${credential} 200"}`)
      assert.strictEqual(begun, credential.slice(0, 12))
    }
    assert.isDefined(credentialIn(`cookie: __Host-agent-platform-session=${digits}`))
  })

  it("is not seen in hints, nor in examples that are too short", () => {
    assert.isUndefined(credentialIn("apk_ws_D3rG…oLaK apk_ws_… whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
  })
})
