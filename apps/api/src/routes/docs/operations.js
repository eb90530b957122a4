/** The operations of the document, and what each takes and answers. */
import { element, folded, prose, words } from "./elements.js"
import { kindOf, members, named, resolve } from "./schemas.js"

const METHODS = ["get", "post", "put", "patch", "delete"]

/** Every operation and every event, by the group that it stands in. */
export const operationsOf = (api) => {
  const found = []
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const method of METHODS) {
      const operation = methods[method]
      if (operation === undefined) continue
      found.push({
        id: operation.operationId,
        group: operation.tags?.[0] ?? "Others",
        title: `${method.toUpperCase()} ${path}`,
        operation
      })
    }
  }
  for (const [name, { post }] of Object.entries(api.webhooks ?? {})) {
    found.push({
      id: `event-${name}`,
      group: "Webhooks that are sent",
      title: `POST to your endpoint: ${name}`,
      operation: post
    })
  }
  return found
}

const section = (title, ...content) => {
  const all = content.flat().filter((one) => one !== undefined)
  return all.length === 0 ? [] : [element("h2", {}, title), ...all]
}

/** The content of a body or an answer, by its media types. */
const contentOf = (api, content = {}) =>
  Object.entries(content).flatMap(([type, { example, examples, schema = {} }]) => {
    const shown = example ?? Object.values(examples ?? {})[0]?.value ?? resolve(api, schema).examples?.[0]
    return [
      element("p", {}, element("code", {}, type), element("span", { class: "kind" }, kindOf(api, schema))),
      ...members(api, schema),
      ...(shown === undefined ? [] : [element("pre", {}, JSON.stringify(shown, null, 2))])
    ]
  })

const parametersOf = (api, { parameters = [] }) => {
  const all = parameters.map((one) => resolve(api, one))
  if (all.length === 0) return []
  return [
    element(
      "dl",
      {},
      all.flatMap(({ description, in: place, name, required, schema }) =>
        named(api, { name, place, required, schema }, description)
      )
    )
  ]
}

const answersOf = (api, { responses = {} }) =>
  Object.entries(responses).map(([status, given]) => {
    const answer = resolve(api, given)
    const headers = Object.entries(answer.headers ?? {}).map(([name, header]) => {
      const { description, required, schema = {} } = resolve(api, header)
      return named(api, { name, place: "header", required, schema }, description ?? schema.description)
    })
    const content = () => [
      ...contentOf(api, answer.content),
      ...(headers.length === 0 ? [] : [element("dl", {}, headers.flat())])
    ]
    return folded(`${status} ${answer.description ?? ""}`, content)
  })

/** All there is to say of an operation. */
export const operationView = (api, { operation, title }) => {
  const body = resolve(api, operation.requestBody)
  const scopes = operation["x-required-scopes"] ?? []
  return [
    element("h1", {}, operation.summary ?? title),
    element("p", {}, element("code", {}, title)),
    ...prose(operation.description),
    ...(scopes.length === 0
      ? []
      : [element("p", {}, "Scope: ", words(scopes.map((scope) => `\`${scope}\``).join(", ")))]),
    ...section("Parameters", parametersOf(api, operation)),
    ...section("Body", contentOf(api, body.content)),
    ...section("Answers", answersOf(api, operation))
  ]
}
