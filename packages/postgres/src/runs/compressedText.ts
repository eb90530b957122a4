/**
 * Text in a `bytea` column, compressed by zlib. Short texts hardly get shorter by themselves, because each has every word for the first
 * time, so they are compressed with a dictionary of words that they have in common. The compressed text names the dictionary by its
 * checksum. Deno reads such texts, but writes them without the dictionary, a little longer.
 */
import { deflateSync, inflateSync } from "node:zlib"

/**
 * The dictionary. More common words are further back, where a reference takes fewer bits. It must not change, because existing rows
 * can only be read with it; another one can be added beside it.
 */
const WORDS = Buffer.from(
  'workspace_id organization_id session_id agent_id error_code error_message "mode":"graceful" "mode":"immediate" cancel.requested ' +
    '{"reason": null, "decision": null, "message_id": "run.retrying {"reason": "worker_lost"} {"reason": "worker_stopping"} ' +
    'message.received interrupt.requested run.paused {"message": "", "interrupt": null, "interrupt_truncated": false} run.cancelled ' +
    'run.failed {"error": "", "error_code": "agent_error"} "truncated": true, "bytes": log {"message": "level": "info" ' +
    'tool.started {"name": "", "arguments": "{\\"query\\":\\"\\"}", "tool_call_id": "call_"} ' +
    'tool.completed {"name": "", "result": "", "is_error": false, "truncated": false, "duration_ms": , "tool_call_id": "call_"} ' +
    'llm.request {"key_id": null, "status": "ok", "cost_usd": "0.00", "provider": "anthropic", "provider": "openai", "error_code": null, ' +
    '"key_source": "byok", "key_source": "platform", "request_id": "", "started_at": "2026-", "duration_ms": , "input_tokens": , ' +
    '"usage_source": "provider", "finish_reason": "stop", "finish_reason": "tool_calls", "output_tokens": , "request_model": "", ' +
    '"response_model": "", "reasoning_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0, "time_to_first_token_ms": null} ' +
    'message.delta {"text": "the ", "request_id": "message.completed {"text": "", "request_id": ""}\n' +
    '0 0 run.queued {}\n1 0 run.started {}\n1 0 message.delta {"text": " "}\n1 0 message.completed {"text": " "}\n1 0 run.succeeded {}\n'
)

/** The compressed text. */
export const compressText = (text: string): Uint8Array => deflateSync(text, { dictionary: WORDS, level: 9 })

/** The text of a compressed one. One that does not decompress is a defect. */
export const decompressText = (kept: Uint8Array): string => inflateSync(kept, { dictionary: WORDS }).toString("utf8")
