/** A real Chromium out of npm: it needs no download at install, and neither libraries nor fonts of the system. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { inflate } from "@sparticuz/chromium"
import { type BrowserServer, chromium } from "playwright-core"

/** Not the package's own arguments: they switch off what a browser protects a page by. */
const ARGUMENTS = ["--no-sandbox", "--font-render-hinting=none", "--disable-gpu"]

const HOME = join(dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")), "..")
const { version } = JSON.parse(readFileSync(join(HOME, "package.json"), "utf8")) as { readonly version: string }

/** Where it is unpacked, once for each version. */
const PLACE = join(HOME, "..", "..", ".cache", `chromium-${version}`)

/** Any font will do for layout; without one Chromium ends at the first page. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${PLACE}/fonts</dir><cachedir>${PLACE}/cache</cachedir></fontconfig>
`

const PARTS = ["chromium.br", "al2023.tar.br", "fonts.tar.br"]

/** Unpacks the package's parts into a folder. Its own function knows the temporary folder alone. */
const unpackInto = async (folder: string): Promise<void> => {
  const before = process.env.TMPDIR
  process.env.TMPDIR = folder
  try {
    await Promise.all(PARTS.map((name) => inflate(join(HOME, "bin", name))))
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
  chmodSync(join(folder, "chromium"), 0o755)
  writeFileSync(join(folder, "fonts.conf"), FONTS)
}

/** Of several at once each unpacks for itself, and the first to be done is the one that stays. */
const unpack = async (): Promise<void> => {
  if (existsSync(PLACE)) return
  mkdirSync(dirname(PLACE), { recursive: true })
  const made = mkdtempSync(`${PLACE}-`)
  try {
    await unpackInto(made)
    renameSync(made, PLACE)
  } catch (error) {
    rmSync(made, { recursive: true, force: true })
    if (!existsSync(PLACE)) throw error
  }
}

/** A browser to connect to: that of CHROMIUM_PATH, else that of npm, else a Chrome of this machine; undefined for none. */
export const launchBrowser = async (): Promise<BrowserServer | undefined> => {
  const executablePath = process.env.CHROMIUM_PATH
  if (executablePath) return chromium.launchServer({ executablePath, args: ARGUMENTS })
  if (process.platform !== "linux" || process.arch !== "x64") {
    return chromium.launchServer({ channel: "chrome" }).catch(() => undefined)
  }
  await unpack()
  return chromium.launchServer({
    executablePath: join(PLACE, "chromium"),
    args: ARGUMENTS,
    env: {
      PATH: process.env.PATH,
      LD_LIBRARY_PATH: join(PLACE, "al2023", "lib"),
      FONTCONFIG_FILE: join(PLACE, "fonts.conf")
    }
  })
}
