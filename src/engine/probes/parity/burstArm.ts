// The burst side of a parity run: one group of prompts at one width, its rounds audited if asked for.
import { runBurst, type Burst, type BurstRound } from '../../speculative/burst';
import type { AcceptRule } from '../../speculative/acceptRule';
import type { BurstSwitches } from '../../speculative/burstSwitches';
import { draftSwitches } from '../../speculative/draftSwitches';
import { Observer } from '../../speculative/observer';
import type { Call, Drafter, Engine, Model, Session, Switches } from '../../types';
import { compareStates } from '../bisectState';
import type { Stopwatch } from '../probe';
import { Sessions } from '../sessions';

export interface BurstContext {
  readonly engine: Engine;
  readonly model: Model;
  readonly drafter: Drafter;
  readonly watch: Stopwatch;
  readonly call: Call;
  readonly tokens: number;
  readonly eos: ReadonlySet<number>;
  readonly audit: boolean;
  readonly rule?: AcceptRule;
  /** After every round, before its audit. */
  readonly onRound?: (round: BurstRound) => Promise<void>;
}

export interface RowAudit {
  audits: number;
  bytes: number;
  first: string;
}

export interface BurstGroup {
  readonly burst: Burst;
  readonly audits: readonly RowAudit[];
}

export async function burstGroup(context: BurstContext, prompts: readonly (readonly number[])[], width: number, switches: Switches, { prefill: path }: BurstSwitches): Promise<BurstGroup> {
  const { model, drafter, watch, call, tokens, eos } = context;
  const sessions = new Sessions();
  const session = await sessions.fresh(model, switches, { ...call, batch: prompts.length });
  const draft = await drafter.open(draftSwitches(drafter.info, switches), { ...call, batch: prompts.length });
  try {
    const auditor = context.audit ? await openAuditor(context, session, prompts, switches, sessions) : null;
    const options = { width, tokens, eos, context: model.info.context, prefill: { path, partition: 0 }, call, ...(context.rule === undefined ? {} : { rule: context.rule }) };
    const observer = new Observer(draft, drafter.info);
    const onRound = async (round: BurstRound): Promise<void> => {
      await context.onRound?.(round);
      await auditor?.round(round);
    };
    const burst = await watch.time('burst', runBurst(session, observer, drafter.info.family === 'mtp', prompts, { ...options, onRound }));
    return { burst, audits: auditor?.rows ?? prompts.map(() => ({ audits: 0, bytes: 0, first: '' })) };
  } finally {
    draft.close();
    sessions.close();
  }
}

interface BurstAuditor {
  readonly rows: readonly RowAudit[];
  readonly round: (round: BurstRound) => Promise<void>;
}

/** Single steps beside every batch row, on the ids that the burst commits. */
async function openAuditor({ engine, model, watch, call }: BurstContext, session: Session, prompts: readonly (readonly number[])[], switches: Switches, sessions: Sessions): Promise<BurstAuditor> {
  const chains: Session[] = [];
  for (const prompt of prompts) {
    const chain = await sessions.fresh(model, switches, call);
    (await chain.prefill(prompt, { ...call, logits: 'none' })).close();
    chains.push(chain);
  }
  const rows = prompts.map((): RowAudit => ({ audits: 0, bytes: 0, first: '' }));
  const audit = async (chain: Session, row: number, index: number): Promise<void> => {
    const alone = prompts.length === 1 ? session : await session.fork({ ...call, rows: [row] });
    try {
      const differing = (await compareStates(engine, model.info, chain, alone, call)).filter(({ differingBytes }) => differingBytes > 0);
      const [first] = differing;
      const own = rows[row];
      if (own === undefined) return;
      own.audits += 1;
      own.bytes += differing.reduce((sum, one) => sum + one.differingBytes, 0);
      if (first !== undefined && own.first === '') own.first = `round ${index}, ${first.layer < 0 ? first.tensor : `layer ${first.layer} · ${first.tensor}`}`;
    } finally {
      if (alone !== session) alone.close();
    }
  };
  const round = async ({ index, rows: done }: BurstRound): Promise<void> => {
    for (const [row, { live, bonus, drafts, accepted }] of done.entries()) {
      const chain = chains[row];
      if (!live || chain === undefined) continue;
      for (const id of [bonus, ...drafts.slice(0, accepted)]) (await watch.time('audit', chain.decode([id], { ...call, logits: 'none' }))).close();
      await watch.time('audit', audit(chain, row, index));
    }
  };
  return { rows, round };
}
