/** The condition that a run ended on a question that is still open, written as in the partial indexes, so that these are used. */
export const IS_WAITING = "paused and resumed_by_run_id is null and question_cancelled_at is null"
