// Greedy speculative rounds by hand: the loop that the drafter suites compare with reference.json and with plain decoding.
import type { Drafter, DraftSession, Model, Session, Step, Switches } from '../../src/engine/types';

export interface Rounds {
  /** The prompt's own token first. */
  readonly emitted: number[];
  readonly drafts: number[][];
  readonly accepted: number[];
  /** Best minus second-best logit of every draft, and of the target for every emitted token. */
  readonly draftMargins: number[][];
  readonly margins: number[];
}

const margins = (top: Step['top']): number[] => top.map(([best, second]) => Number(best!.logit) - Number(second!.logit));
const ids = (top: Step['top']): number[] => top.map(([best]) => best!.id);

/** `total` tokens after `prompt` in passes of `width` rows, fewer where the budget ends. */
export async function rounds(model: Model, drafter: Drafter, prompt: readonly number[], width: number, total: number, switches: Switches): Promise<Rounds> {
  const session = await model.open(switches);
  const draft = await drafter.open({ activations: switches['activations'] ?? 'checkpoint' });
  try {
    return await run(session, draft, drafter.info.taps, prompt, width, total);
  } finally {
    draft.close();
    session.close();
  }
}

async function run(session: Session, draft: DraftSession, taps: readonly string[], prompt: readonly number[], width: number, total: number): Promise<Rounds> {
  const first = await session.prefill(prompt, { taps });
  const out: Rounds = { emitted: ids(first.top), drafts: [], accepted: [], draftMargins: [], margins: margins(first.top) };
  let anchor = out.emitted[0]!;
  await observe(draft, taps, first, prompt.length, [...prompt.slice(1), anchor]);
  while (out.emitted.length < total) {
    const rows = Math.min(width, total - out.emitted.length + 1);
    const proposal = await draft.propose(rows, { top: 2 });
    const drafts = proposal.ids[0]!;
    const step = await session.verify([anchor, ...drafts], { taps });
    const chosen = ids(step.top);
    const accepted = drafts.findIndex((id, i) => id !== chosen[i]);
    const kept = (accepted < 0 ? drafts.length : accepted) + 1;
    await session.rewind([kept]);
    const next = chosen.slice(0, kept);
    await observe(draft, taps, step, kept, next);
    const emitted = Math.min(kept, total - out.emitted.length);
    out.emitted.push(...next.slice(0, emitted));
    out.margins.push(...margins(step.top).slice(0, emitted));
    out.drafts.push([...drafts]);
    out.accepted.push(kept - 1);
    out.draftMargins.push(margins(proposal.top));
    anchor = next.at(-1)!;
  }
  return out;
}

async function observe(draft: DraftSession, taps: readonly string[], step: Step, rows: number, next: readonly number[]): Promise<void> {
  const features = taps.map((name) => step.taps.find(({ layer, tap }) => `${layer}.${tap}` === name)!.tensor);
  await draft.observe({ features, rows: [[0, rows]], next: [next] });
  step.close();
}
