/** The reference to click through, made in the browser out of /openapi.json. */
import { element, prose } from "./elements.js"
import { operationsOf, operationView } from "./operations.js"

const index = document.getElementById("index")
const main = document.getElementById("main")
const search = document.getElementById("search")

const show = (api, operations) => {
  const id = decodeURIComponent(location.hash.slice(1))
  const found = operations.find((one) => one.id === id)
  main.replaceChildren(
    ...(found === undefined
      ? [element("h1", {}, `${api.info.title} ${api.info.version}`), ...prose(api.info.description)]
      : operationView(api, found))
  )
  document.title = `${found?.operation.summary ?? "Reference"} · ${api.info.title}`
  for (const link of index.querySelectorAll("a")) {
    if (link.getAttribute("href") === `#${id}`) link.setAttribute("aria-current", "page")
    else link.removeAttribute("aria-current")
  }
  main.focus({ preventScroll: true })
  scrollTo(0, 0)
}

/** The list of operations in which a text occurs, by group. */
const list = (operations) => {
  const text = search.value.trim().toLowerCase()
  const isMeant = ({ group, operation, title }) =>
    `${group} ${title} ${operation.summary} ${operation.operationId}`.toLowerCase().includes(text)
  const groups = Map.groupBy(operations.filter(isMeant), ({ group }) => group)
  index.replaceChildren(
    ...[...groups].map(([group, some]) =>
      element(
        "details",
        { open: "" },
        element("summary", {}, group),
        some.map(({ id, operation, title }) => element("a", { href: `#${id}`, title }, operation.summary ?? title))
      )
    )
  )
}

const answer = await fetch("/openapi.json")
const api = await answer.json()
const operations = operationsOf(api)
list(operations)
show(api, operations)
search.addEventListener("input", () => list(operations))
addEventListener("hashchange", () => show(api, operations))
