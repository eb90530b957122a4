import type { FirstRun, RunStore } from "@agent-platform/runs"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { doubles, integers, texts, timestamps, uuids } from "../columns.ts"
import { posted } from "../pipelined.ts"

/**
 * `RunStore.insertFirst`: the sessions, their runs and the beginnings of the logs, by one statement, however many. What a run
 * has that nothing has come of is written in the statement itself, and so are the places of those who are first in line.
 */
export const insertFirstRuns =
  (sql: SqlClient.SqlClient): RunStore["Service"]["insertFirst"] =>
  (...firsts) => {
    const of = <A>(value: (first: FirstRun) => A): ReadonlyArray<A> => firsts.map(value)
    const events = firsts.flatMap(({ events, run }) =>
      events.map((event, index) => ({ ...event, run, seq: index + 1 }))
    )
    return Effect.orDie(
      posted(
        sql,
        sql`
        with begun as (
          insert into session (organization_id, workspace_id, id, created_at, last_position)
          select organization_id, workspace_id, id, created_at, 1
          from unnest(
            ${uuids(of(({ session }) => session.organizationId))},
            ${uuids(of(({ session }) => session.workspaceId))},
            ${uuids(of(({ session }) => session.id))},
            ${timestamps(of(({ session }) => session.createdAt))}
          ) as session (organization_id, workspace_id, id, created_at)
        ), logged as (
          insert into run_event (workspace_id, run_id, session_id, seq, type, created_at, attempt, data)
          select workspace_id, run_id, session_id, seq, type, created_at, attempt, data::jsonb
          from unnest(
            ${uuids(events.map(({ run }) => run.workspaceId))},
            ${uuids(events.map(({ run }) => run.id))},
            ${uuids(events.map(({ run }) => run.sessionId))},
            ${integers(events.map(({ seq }) => seq))},
            ${texts(events.map(({ type }) => type))},
            ${timestamps(events.map(({ createdAt }) => createdAt))},
            ${integers(events.map(({ attempt }) => attempt))},
            ${texts(events.map(({ data }) => JSON.stringify(data)))}
          ) as event (workspace_id, run_id, session_id, seq, type, created_at, attempt, data)
        )
        insert into run (
          organization_id, workspace_id, id, session_id, agent_id, recipe, prompt, input, max_attempts,
          max_duration_seconds, max_cost_usd, priority, trigger_type, trigger_id, created_at, run_at, expires_at, metadata,
          tags, trace, last_seq, due_at, ready, position, status, paused, interrupt_truncated, attempt, cost_usd, requests,
          input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens
        )
        select organization_id, workspace_id, id, session_id, agent_id, recipe, prompt, input::jsonb, max_attempts,
          max_duration_seconds, max_cost_usd::numeric, priority, trigger_type, trigger_id, created_at, run_at, expires_at,
          metadata::jsonb, array(select jsonb_array_elements_text(tags::jsonb)), trace, last_seq, coalesce(run_at, now()),
          coalesce(run_at <= now(), true), 1, 'queued', false, false, 0, 0, 0, 0, 0, 0, 0, 0
        from unnest(
          ${uuids(of(({ run }) => run.organizationId))},
          ${uuids(of(({ run }) => run.workspaceId))},
          ${uuids(of(({ run }) => run.id))},
          ${uuids(of(({ run }) => run.sessionId))},
          ${uuids(of(({ run }) => run.agentId))},
          ${texts(of(({ run }) => run.recipe))},
          ${texts(of(({ run }) => run.prompt))},
          ${texts(of(({ run }) => (run.input === null ? null : JSON.stringify(run.input))))},
          ${integers(of(({ run }) => run.maxAttempts))},
          ${doubles(of(({ run }) => run.maxDurationSeconds))},
          ${texts(of(({ run }) => run.maxCostUsd))},
          ${integers(of(({ run }) => run.priority))},
          ${texts(of(({ run }) => run.trigger.type))},
          ${texts(of(({ run }) => run.trigger.id))},
          ${timestamps(of(({ run }) => run.createdAt))},
          ${timestamps(of(({ run }) => run.runAt))},
          ${timestamps(of(({ run }) => run.expiresAt))},
          ${texts(of(({ run }) => JSON.stringify(run.metadata)))},
          ${texts(of(({ run }) => JSON.stringify(run.tags)))},
          ${texts(of(({ run }) => run.trace))},
          ${integers(of(({ events }) => events.length))}
        ) as first (
          organization_id, workspace_id, id, session_id, agent_id, recipe, prompt, input, max_attempts,
          max_duration_seconds, max_cost_usd, priority, trigger_type, trigger_id, created_at, run_at, expires_at, metadata,
          tags, trace, last_seq
        )
      `
      )
    )
  }
