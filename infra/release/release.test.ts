/** The parts of a release that can go wrong without a noise: versions, the changelog, and what each package shows. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { changelogAt } from "./changelog.ts"
import { publicPackages, workspacesOf } from "./publicPackages.ts"
import { publishedManifest } from "./publishedManifest.ts"
import { withoutRepositoryLinks } from "./stagePackages.ts"
import { checkVersion, filesAt, renamed } from "./versions.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

describe("the workspaces", () => {
  const all = workspacesOf(root)
  const published = publicPackages(root)

  it("have one version", () => {
    assert.deepStrictEqual([...new Set(all.map(({ manifest }) => manifest.version))].length, 1)
  })

  it("are published but for the apps and what only they need", () => {
    const kept = all.filter((one) => !published.some(({ folder }) => folder === one.folder))
    assert.deepStrictEqual(
      kept.map(({ folder }) => folder),
      ["apps/admin", "apps/api", "apps/dashboard", "apps/worker", "packages/process"]
    )
  })

  it("can be published: each depends on what is published, pinned", () => {
    const names = new Set(published.map(({ manifest }) => manifest.name))
    for (const { folder, manifest } of published) {
      assert.isTrue(existsSync(join(root, folder, "README.md")), folder)
      assert.strictEqual(publishedManifest(manifest, "9.9.9", names)["version"], "9.9.9")
    }
  })
})

describe("a release", () => {
  const current = workspacesOf(root)[0]?.manifest.version ?? ""

  it("says its version in every file that names it, and nowhere the one before", () => {
    for (const [path, text] of Object.entries(filesAt(root, current, "9.9.9-rc.1"))) {
      assert.include(text, "9.9.9-rc.1", path)
      assert.notMatch(text, new RegExp(`"${current}"`), path)
    }
  })

  it("leaves longer versions alone, and takes no file for one that names none", () => {
    assert.strictEqual(renamed("a", "x:0.1.0 10.1.0 0.1.01 0.1.0.", "0.1.0", "1.0.0"), "x:1.0.0 10.1.0 0.1.01 1.0.0.")
    assert.throws(() => renamed("a", "10.1.0", "0.1.0", "1.0.0"), /a does not name the version 0\.1\.0/)
  })

  it("goes on, never back", () => {
    for (const next of ["0.2.0", "0.2.1", "0.10.0", "1.0.0-rc.1"]) checkVersion(next, "0.2.0")
    checkVersion("0.2.0", "0.2.0-rc.1")
    for (const next of ["0.1.9", "0.2.0-rc.1"]) assert.throws(() => checkVersion(next, "0.2.0"), /comes before/)
    // The example of Semantic Versioning 2.0.0, section 11.
    const order = ["alpha", "alpha.1", "alpha.beta", "beta", "beta.2", "beta.11", "rc.1"].map((mark) => `1.0.0-${mark}`)
    for (const [place, later] of [...order, "1.0.0"].entries()) {
      for (const earlier of order.slice(0, place)) {
        checkVersion(later, earlier)
        assert.throws(() => checkVersion(earlier, later), /comes before/)
      }
      checkVersion(later, later)
    }
    for (const next of ["1.0", "v1.0.0", "1.0.0 ", ""]) assert.throws(() => checkVersion(next, "0.2.0"), /no version/)
  })
})

describe("the changelog", () => {
  const page = "# Changelog\n\n## Unreleased\n\n- A change.\n\n## 0.1.0, 2026-01-01\n\n- Everything.\n"

  it("puts what is unreleased under the version and its day", () => {
    assert.strictEqual(
      changelogAt(page, "0.2.0", "2026-11-23"),
      "# Changelog\n\n## Unreleased\n\n## 0.2.0, 2026-11-23\n\n- A change.\n\n## 0.1.0, 2026-01-01\n\n- Everything.\n"
    )
  })

  it("refuses a release without a change, and a version that there has been", () => {
    assert.throws(() => changelogAt(changelogAt(page, "0.2.0", "x"), "0.3.0", "x"), /Nothing stands under/)
    assert.throws(() => changelogAt(page, "0.1.0", "x"), /has been released/)
    assert.throws(() => changelogAt("# Changelog\n", "0.1.0", "x"), /has no/)
  })
})

describe("a README at the registry", () => {
  it("says where a page of the repository stands, to which no link leads from there", () => {
    assert.strictEqual(
      withoutRepositoryLinks("See [how](../../docs/client.md#lists), [that](src/a.ts) and [it](https://example.com/)."),
      "See how (`docs/client.md` in the repository), [that](src/a.ts) and [it](https://example.com/)."
    )
    assert.strictEqual(withoutRepositoryLinks("[`a`](../client/README.md)"), "`a`")
  })
})
