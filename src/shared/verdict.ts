// A verdict as a report holds it.
import { z } from 'zod';
import { verdictWords } from './verdictWord';

export { exitCode, gravest, moreGrave, verdictWords, type VerdictWord } from './verdictWord';

export const Verdict = z.object({
  word: z.enum(verdictWords),
  /** One plain sentence: what was found, where. */
  sentence: z.string(),
});
export type Verdict = z.infer<typeof Verdict>;
