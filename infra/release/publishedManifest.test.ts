/** The package.json that is published. */
import { assert, describe, it } from "@effect/vitest"
import { jsrManifest, publishedManifest } from "./publishedManifest.ts"

const published = new Set(["@agent-platform/kernel", "@agent-platform/runs"])

const runs = {
  name: "@agent-platform/runs",
  version: "0.1.0",
  description: "Runs",
  license: "Apache-2.0",
  exports: { ".": "./src/index.ts", "./testing": "./src/testing/index.ts", "./vectors.json": "./vectors.json" },
  dependencies: { "@agent-platform/kernel": "0.1.0", effect: "4.1.0", undici: "8.12.4" },
  peerDependencies: { "@types/node": "24.10.1", vitest: "5.1.1" },
  peerDependenciesMeta: { vitest: { optional: true } }
}

describe("a published manifest", () => {
  const manifest = publishedManifest(runs, "0.2.0", published)

  it("leads to what was built, types first, and to files that are published as they are", () => {
    assert.deepStrictEqual(manifest["exports"], {
      ".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
      "./testing": { types: "./dist/testing/index.d.ts", default: "./dist/testing/index.js" },
      "./vectors.json": "./vectors.json",
      "./package.json": "./package.json"
    })
    assert.deepStrictEqual(manifest["files"], ["dist", "src", "./vectors.json"])
    assert.deepStrictEqual(Object.keys(Object(manifest["exports"])["."]), ["types", "default"])
  })

  it("depends on packages of the same release, on libraries as they are pinned, and leaves effect and types to the host", () => {
    assert.deepStrictEqual(manifest["dependencies"], { "@agent-platform/kernel": "0.2.0", undici: "8.12.4" })
    assert.deepStrictEqual(manifest["peerDependencies"], { "@types/node": ">=22", effect: "^4.1.0", vitest: "^5.1.1" })
    assert.deepStrictEqual(manifest["peerDependenciesMeta"], { vitest: { optional: true } })
  })

  it("has no dependencies where there are none", () => {
    const { dependencies, peerDependencies, peerDependenciesMeta, ...alone } = runs
    const made = publishedManifest(alone, "0.2.0", published)
    for (const member of ["dependencies", "peerDependencies", "peerDependenciesMeta"]) assert.notProperty(made, member)
  })

  it("is refused where it would depend on a private package, or on a range", () => {
    const withDependencies = (dependencies: Readonly<Record<string, string>>) => () =>
      publishedManifest({ ...runs, dependencies }, "0.2.0", published)
    assert.throws(withDependencies({ "@agent-platform/process": "0.1.0" }), /process, which is private/)
    assert.throws(withDependencies({ undici: "^8.12.4" }), /undici@\^8\.12\.4 is not pinned exactly/)
  })

  it("is refused where an entry point is no source", () => {
    assert.throws(() => publishedManifest({ ...runs, exports: { ".": "./lib/index.js" } }, "0.2.0", published), /lib/)
  })

  it("leads to the sources at JSR", () => {
    const { exports } = jsrManifest(runs, "0.2.0")
    assert.deepStrictEqual(exports, { ".": "./src/index.ts", "./testing": "./src/testing/index.ts" })
  })
})
