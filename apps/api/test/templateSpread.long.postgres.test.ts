/** Templates reach 500 workspaces, in some three thousand transactions. */
import { describeSpread } from "./templateSpreadSuite.ts"

describeSpread(500)
