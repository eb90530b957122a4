/** A picture of a page as a PNG of 256 colours, which takes a third of what the browser makes of it. */
import { crc32, deflateSync } from "node:zlib"
import type { Browser } from "playwright-core"

const COLOURS_MAX = 256

/** Pixels, each a number of 24 bits. */
interface Pixels {
  readonly width: number
  readonly height: number
  readonly colours: Uint32Array
}

/** Reads the browser's own PNG by the browser. */
const pixelsOf = async (browser: Browser, png: Buffer): Promise<Pixels> => {
  const page = await browser.newPage()
  const read = await page.evaluate(async (text) => {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }))
    const { height, width } = image
    const context = new OffscreenCanvas(width, height).getContext("2d")
    context?.drawImage(image, 0, 0)
    const { data } = context?.getImageData(0, 0, width, height) ?? { data: new Uint8ClampedArray() }
    let binary = ""
    for (let at = 0; at < data.length; at += 32_768) binary += String.fromCharCode(...data.subarray(at, at + 32_768))
    return { height, width, rgba: btoa(binary) }
  }, png.toString("base64"))
  await page.close()
  const rgba = Buffer.from(read.rgba, "base64")
  const colours = new Uint32Array(read.width * read.height)
  for (let place = 0; place < colours.length; place++) colours[place] = rgba.readUInt32BE(place * 4) >>> 8
  return { width: read.width, height: read.height, colours }
}

const distance = (one: number, other: number): number =>
  [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0)

/** The colours that are there most often stay as they are; of the rest, edges of letters, each becomes the nearest of them. */
const paletteOf = (colours: Uint32Array) => {
  const counts = new Map<number, number>()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const all = [...counts].toSorted(([, one], [, other]) => other - one).map(([colour]) => colour)
  const palette = all.slice(0, COLOURS_MAX)
  const places = new Map(palette.map((colour, place) => [colour, place]))
  for (const colour of all.slice(COLOURS_MAX)) {
    const nearest = palette.reduce((best, one) => (distance(one, colour) < distance(best, colour) ? one : best))
    places.set(colour, palette.indexOf(nearest))
  }
  return { palette, places }
}

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** The same picture, as small as it gets. */
export const palettePng = async (browser: Browser, png: Buffer): Promise<Buffer> => {
  const { colours, height, width } = await pixelsOf(browser, png)
  const { palette, places } = paletteOf(colours)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits a pixel, which are a place in the palette.
  header.set([8, 3], 8)
  // Each line begins with its filter: none.
  const lines = Buffer.alloc((width + 1) * height)
  colours.forEach((colour, place) => {
    lines[place + Math.floor(place / width) + 1] = places.get(colour) ?? 0
  })
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", Buffer.alloc(0))
  ])
}
