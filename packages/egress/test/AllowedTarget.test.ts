import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { formatAllowedTarget, parseAllowedTargets } from "../src/index.ts"

/** The entries of a list as they are shown, or why it is none. */
const read = (text: string) =>
  Result.match(parseAllowedTargets(text), {
    onSuccess: (targets) => targets.map(formatAllowedTarget).join(","),
    onFailure: (detail) => `refused: ${detail}`
  })

describe("a list of admitted targets", () => {
  for (const [text, shown] of [
    ["", ""],
    ["  ", ""],
    ["10.0.0.0/8", "10.0.0.0/8"],
    ["10.1.2.3", "10.1.2.3"],
    ["10.1.2.3/32", "10.1.2.3"],
    ["10.1.2.3:8000", "10.1.2.3:8000"],
    ["10.0.0.0/8:8000", "10.0.0.0/8:8000"],
    ["http://10.0.0.0/8", "http://10.0.0.0/8"],
    ["HTTP://10.0.0.0/8", "http://10.0.0.0/8"],
    ["fd12::/48", "fd12::/48"],
    ["http://[fd12::1]:8000", "http://[fd12::1]:8000"],
    ["[fd12::/48]:8000", "[fd12::/48]:8000"],
    ["[fd12::1]", "fd12::1"],
    ["vllm.internal", "vllm.internal"],
    ["VLLM.Internal:8000", "vllm.internal:8000"],
    ["http://ollama:11434", "http://ollama:11434"],
    ["*.svc.cluster.local", "*.svc.cluster.local"],
    ["http://*.svc.cluster.local:8000", "http://*.svc.cluster.local:8000"],
    ["localhost", "localhost"],
    ["127.0.0.0/8, ::1", "127.0.0.0/8,::1"],
    ["100.64.0.0/10,198.18.0.0/15", "100.64.0.0/10,198.18.0.0/15"],
    ["0.0.0.0/0,::/0", "0.0.0.0/0,::/0"],
    ["xn--bcher-kva.internal", "xn--bcher-kva.internal"],
    [" a.internal , b.internal ", "a.internal,b.internal"]
  ] as const) {
    it(`is read from ${JSON.stringify(text)}`, () => {
      assert.strictEqual(read(text), shown)
    })
  }

  for (const text of [
    "https://vllm.internal",
    "ftp://vllm.internal",
    "//vllm.internal",
    "vllm.internal/v1",
    "http://vllm.internal/",
    "user@vllm.internal",
    "*",
    "*.",
    "*.10.0.0.1",
    "a.*.internal",
    "**.internal",
    "vllm.internal.",
    ".internal",
    "bücher.internal",
    "vllm internal",
    "10.0.0.1/8",
    "10.0.0.0/33",
    "10.0.0.0/8/8",
    "10.0.0.0/",
    "10.0.0.0/+8",
    "10.0.0",
    "127.1",
    "0x7f.1",
    "0177.0.0.1",
    "2130706433",
    "010.0.0.1",
    "::ffff:10.0.0.1",
    "fd12::/48:8000",
    "[fd12::1",
    "fd12::1%eth0",
    "vllm.internal:0",
    "vllm.internal:65536",
    "vllm.internal:",
    "vllm.internal:http",
    `${"a".repeat(64)}.internal`,
    "a,,b",
    ","
  ]) {
    it(`is not read from ${JSON.stringify(text.slice(0, 40))}`, () => {
      assert.match(read(text), /^refused: has an entry, number [12], that /)
    })
  }

  for (const text of [
    "169.254.169.254",
    "169.254.0.0/16",
    "169.254.169.0/24",
    "100.100.100.200",
    "168.63.129.16",
    "0.0.0.0",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "255.255.255.255",
    "192.0.2.0/24",
    "fd00:ec2::254",
    "fd00:ec2::/64",
    "fd20:ce::254",
    "fe80::/10",
    "fe80::1",
    "ff02::/16",
    "::",
    "::ffff:a00:0/104",
    "64:ff9b::/96",
    "2002::/16",
    "2001:db8::/32",
    "4000::/3"
  ]) {
    it(`is not read where it names addresses that are never called: ${text}`, () => {
      assert.match(read(text), /^refused: has an entry, number 1, that lies among addresses that are never called/)
    })
  }

  it("names what is wrong by its place and repeats nothing of it", () => {
    const detail = read("vllm.internal,postgres://owner:s3cret@db/x")
    assert.include(detail, "number 2")
    assert.notInclude(detail, "s3cret")
  })

  it("has at most a hundred entries", () => {
    const list = (length: number) => Array.from({ length }, (_, index) => `h${index}.internal`).join(",")
    assert.notMatch(read(list(100)), /^refused/)
    assert.strictEqual(read(list(101)), "refused: has more than 100 entries")
  })
})
