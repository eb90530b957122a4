/** Loaded by the scheduler before its go: all of its code, and the preparation of the database. */
import { prepare } from "../../apps/admin/src/prepare.ts"
import { answerPrepare } from "./prepareAnswer.ts"

answerPrepare(prepare)
