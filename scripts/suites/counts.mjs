// What a suite reports: how many tests passed, failed and were skipped, and why it failed or was skipped where no test says so.

export const check = (code) => (code === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 });
export const skipped = (note) => ({ passed: 0, failed: 0, skipped: 1, note });
export const failed = (note) => ({ passed: 0, failed: 1, skipped: 0, note });

/** A runner that fails without a failing test (it did not compile, it crashed), or that fails no test and ran none, is a failure. */
export function exitMismatch(counts, code) {
  if (counts.failed > 0) return counts;
  if (code !== 0) return { ...counts, failed: 1, note: `the runner ended with ${code}, though no test failed` };
  if (counts.passed + counts.skipped === 0) return { ...counts, failed: 1, note: 'no test ran' };
  return counts;
}
