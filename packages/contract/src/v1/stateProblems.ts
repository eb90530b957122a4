import type { ProblemRow } from "./callerProblems.ts"

/** Problems of requests that the current state does not allow. */
export const stateProblems = {
  cap_reached: {
    status: 402,
    title: "Spend cap reached",
    explanation:
      "The workspace has spent what it may spend this month. No runs begin until its cap is raised or the month ends."
  },
  call_exceeds_cap: {
    status: 402,
    title: "Call exceeds the cap",
    explanation:
      "What is left of the workspace's cap or of the run's is too little for this call. Of runs, and of calls by the gateway. Ask for fewer output tokens, or send less."
  },
  session_busy: {
    status: 409,
    title: "Session busy",
    retryable: true,
    explanation: "The session has an unfinished run, and the request asked not to queue behind it."
  },
  interrupt_already_answered: {
    status: 409,
    title: "Question already answered",
    explanation: "The question was answered before: of several replies one wins."
  },
  interrupt_cancelled: {
    status: 409,
    title: "Question cancelled",
    explanation: "The session was cancelled, and the run's question with it."
  },
  run_not_finished: {
    status: 409,
    title: "Run not finished",
    retryable: true,
    explanation: "The run has not ended yet."
  },
  callback_not_awaited: {
    status: 409,
    title: "Callback not awaited",
    explanation:
      "The attempt that the callback names does not last any more: the run has ended, or another attempt executes it. Do not send it again."
  },
  endpoint_limit_reached: {
    status: 409,
    title: "Endpoint limit reached",
    explanation: "The organization holds as many active webhook endpoints as it may: 10."
  },
  endpoint_inactive: {
    status: 409,
    title: "Endpoint inactive",
    explanation: "The webhook endpoint is deleted, or is disabled where an active one is needed."
  },
  endpoint_not_subscribed: {
    status: 409,
    title: "Endpoint not subscribed",
    explanation: "The endpoint that a delivery of another is to be sent through does not receive that kind of event."
  },
  quota_exceeded: {
    status: 409,
    title: "Quota exceeded",
    explanation:
      "The workspace or the organization holds as many resources of this kind as it may. The member detail says what to do."
  },
  provider_key_limit_reached: {
    status: 409,
    title: "Provider key limit reached",
    explanation:
      "The workspace has as many provider keys as it may, 100 unless the operator has set PROVIDER_KEYS_MAX; revoked ones do not count. Revoke one that is not needed any more."
  },
  provider_key_unreadable: {
    status: 409,
    title: "Provider key unreadable",
    explanation:
      "The value of the provider key cannot be opened by this deployment. Give the key its value again, or register another."
  },
  tool_secret_exists: {
    status: 409,
    title: "Tool secret exists",
    explanation:
      "Another tool secret of the workspace has the name, or the same header for the same host pattern. Change that one, or delete it first."
  },
  version_conflict: {
    status: 409,
    title: "Version conflict",
    explanation: "The resource has changed since the version named in If-Match. Read it again."
  },
  url_not_public: {
    status: 422,
    title: "URL not public",
    explanation: "The URL must be HTTPS on a publicly resolvable host."
  },
  provider_rejected_key: {
    status: 422,
    title: "Provider rejected the key",
    explanation:
      "The model provider does not accept this key. The members provider_status and provider_code say what it answered."
  },
  provider_key_missing: {
    status: 422,
    title: "Provider key missing",
    explanation: "Of runs, and of calls by the gateway: no key may be used for the model."
  },
  model_unpriced: {
    status: 422,
    title: "Model without a price",
    explanation: "Of runs, and of calls by the gateway: there is a cap, and the price of the model is not known."
  },
  credential_invalid: {
    status: 422,
    title: "Provider key refused",
    explanation: "Of runs, and of calls by the gateway: the model provider refuses every key that may be used."
  },
  provider_refused: {
    status: 422,
    title: "Provider refused the request",
    explanation:
      "Of calls by the gateway: the model provider refuses the request itself. The member detail has its words."
  },
  interrupt_schema_mismatch: {
    status: 422,
    title: "Reply does not match the question",
    explanation: "The reply's data does not have the form that the run's question asks for."
  },
  too_many_streams: {
    status: 429,
    title: "Too many streams",
    retryable: true,
    retryAfterSeconds: 5,
    explanation:
      "As many streams and waiting answers are open as the credential, the workspace, the organization or this process may hold. Close one, or ask again later."
  },
  provider_rate_limited: {
    status: 429,
    title: "Provider rate limited",
    retryable: true,
    retryAfterSeconds: 10,
    explanation: "Of runs, and of calls by the gateway: the model provider limits every key that may be used."
  },
  queue_full: {
    status: 429,
    title: "Queue full",
    retryable: true,
    retryAfterSeconds: 10,
    explanation:
      "The workspace has its 10,000 queued runs, or the webhook endpoint its 5 replays. Ask for more when some have begun or ended."
  },
  provider_error: {
    status: 503,
    title: "Provider error",
    retryable: true,
    retryAfterSeconds: 2,
    explanation:
      "Of runs, and of calls by the gateway: the model provider is overloaded or out of reach, breaks off, or answers what cannot be used."
  }
} as const satisfies Readonly<Record<string, ProblemRow>>
