/** The condition that a run ended on a question which is open, in the words of the partial indexes over such runs. */
export const IS_WAITING = "paused and resumed_by_run_id is null and question_cancelled_at is null"
