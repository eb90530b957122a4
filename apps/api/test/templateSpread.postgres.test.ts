/** Templates reach some dozens of workspaces: more than one turn of the job. */
import { describeSpread } from "./templateSpreadSuite.ts"

describeSpread(40)
