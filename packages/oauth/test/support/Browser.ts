/** As much of a browser as a login needs: it keeps cookies for each origin and follows redirects. */

const REDIRECTS_MAX = 20

/** A browser of one person. `places` says where origins are really to be found. */
export class Browser {
  readonly #jars = new Map<string, Map<string, string>>()
  readonly #places: Readonly<Record<string, string>>

  constructor(places: Readonly<Record<string, string>> = {}) {
    this.#places = places
  }

  /** The cookies of an origin, to be looked at and tampered with. */
  jar(origin: string): Map<string, string> {
    const jar = this.#jars.get(origin) ?? new Map<string, string>()
    this.#jars.set(origin, jar)
    return jar
  }

  /** Asks once, with the origin's cookies, and keeps those of the answer. */
  async ask(address: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const url = new URL(address)
    const jar = this.jar(url.origin)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
    const place = (this.#places[url.origin] ?? url.origin) + url.pathname + url.search
    const response = await fetch(place, {
      redirect: "manual",
      headers: { ...headers, ...(cookie === "" ? {} : { cookie }) }
    })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";")
      const at = pair.indexOf("=")
      if (pair.slice(at + 1) === "") jar.delete(pair.slice(0, at))
      else jar.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return response
  }

  /** Follows redirects from `url` until one leads to `destination`, and answers that address. */
  async follow(url: string, destination: string): Promise<string> {
    let at = url
    for (let count = 0; count < REDIRECTS_MAX; count++) {
      const response = await this.ask(at)
      await response.arrayBuffer()
      const location = response.headers.get("location")
      if (location === null) throw new Error(`${new URL(at).pathname} answers ${response.status} and leads nowhere`)
      at = new URL(location, at).href
      if (at.startsWith(destination)) return at
    }
    throw new Error("The redirects lead in a circle")
  }
}
