import { LENIENCIES, RULES } from "./rules.ts"

/** The first page of the document: as much as a first reader needs before the operations. */
export const INTRODUCTION = `Agents run by an API key: trigger a run, follow its log, answer its questions, and have its outcome delivered as a signed webhook.

## Quick start

\`\`\`sh
curl "$BASE/api/v1/agents" -H "X-API-Key: $KEY"
curl -X POST "$BASE/api/v1/runs/" -H "X-API-Key: $KEY" -H "Content-Type: application/json" \\
  -d '{"agent_id": "…", "message": "Hello", "wait_seconds": 10}'
curl -N "$BASE/api/v1/runs/{run_id}/logs" -H "X-API-Key: $KEY"
\`\`\`

\`202\` is a run that goes on: read it again, follow its log, or receive its outcome. A run that is \`paused\` has asked something: answer it by \`POST /api/v1/sessions/{session_id}/messages\`.

## Keys

Send a key as \`X-API-Key\` or as \`Authorization: Bearer\`. A key of a workspace names it by itself; one of an organization, and a person's session, name the workspace by \`X-Workspace-Id\`. What each operation needs is in its \`x-required-scopes\`: no scope admits another. What belongs to others is 404.

## Lists

Newest first unless an operation says otherwise. A page has \`items\` and \`next_cursor\`: send that as \`cursor\`, with the same filters, until it is null.

## Safe repetition

Send an \`Idempotency-Key\` with whatever creates something. The same key and body create nothing again within 24 hours, and answer what was created, with \`Idempotency-Replayed: true\`.

## Errors

Errors are problems by RFC 9457, \`application/problem+json\`, with a \`code\` for programs, a \`detail\` for people, \`retryable\`, and in \`errors\` every fault of a request by its place. After 429 and 503 wait for \`Retry-After\`.

A request that fits its schemas is refused by these rules alone, which are \`x-rules\` of the document, by what exists, and by the rights of its caller:

${RULES.map(({ code, rule }) => `- ${rule} (\`${code}\`)`).join("\n")}

${Object.values(LENIENCIES).join(". ")}.

## Formats

Times are ISO 8601 in UTC, money is a decimal string in USD, ids are UUIDs. Where an operation answers in several formats, \`Accept\` chooses; without it, or with \`*/*\`, it is the first that is listed. Answers to reads are compressed for \`Accept-Encoding\`, and have an \`ETag\`: sent as \`If-None-Match\`, it makes the same answer a \`304\`. Paths answer with and without a trailing slash. Answers may gain members: ignore those that you do not know.`
