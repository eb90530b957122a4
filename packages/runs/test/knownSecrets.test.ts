import { assert, describe, it } from "@effect/vitest"
import { replaceKnown } from "../src/knownSecrets.ts"

const SECRET = `to/ken+&<s>="pa ss'%`

/** As others write it: PHP's and Go's JSON, addresses, forms, HTML. */
const WRITTEN: Readonly<Record<string, string>> = {
  "as it is": SECRET,
  JSON: JSON.stringify(SECRET).slice(1, -1),
  "JSON of PHP": JSON.stringify(SECRET).slice(1, -1).replaceAll("/", "\\/"),
  "JSON of Go": JSON.stringify(SECRET)
    .slice(1, -1)
    .replaceAll("&", "\\u0026")
    .replaceAll("<", "\\u003c")
    .replaceAll(">", "\\u003e"),
  "an address": encodeURIComponent(SECRET),
  "an address in lower case": encodeURIComponent(SECRET).replaceAll(/%../g, (code) => code.toLowerCase()),
  "a form": encodeURIComponent(SECRET).replaceAll("%20", "+"),
  HTML: "to/ken+&amp;&lt;s&gt;=&quot;pa ss&#39;%"
}

describe("A secret that is known", () => {
  for (const [name, text] of Object.entries(WRITTEN)) {
    it(`is found in ${name}`, () => {
      assert.strictEqual(replaceKnown([SECRET])(`It is ${text}.`), "It is [redacted: secret].")
    })
  }
})
