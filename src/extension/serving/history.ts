// Runs of the panel that are kept with the workspace, newest first, and the capture logs of those that had rounds.
import * as l10n from '@vscode/l10n';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type * as vscode from 'vscode';
import { z } from 'zod';
import { captureLogExtension } from '../../shared/capture';
import { tokenOrigins, type PanelEntry, type PanelRun } from '../../shared/panelProtocol';
import { fileTime } from '../fileTime';
import { fileReason, Problem } from '../problem';
import { writeInto } from '../files';

const key = 'panel.history';
const limits = { runs: 50, chars: 1_000_000, runChars: 200_000 } as const;

const number = z.number();
const Token = z.object({ text: z.string(), origin: z.enum(tokenOrigins), round: z.int(), logprob: number.nullable(), margin: number.nullable() });
const Rates = z.object({ promptTokens: number, cachedTokens: number, tokens: number, firstMs: number.nullable(), tokensPerSecond: number.nullable(), rounds: number, drafted: number, accepted: number, acceptedPerRound: z.array(number) });
const Run = z.object({
  id: z.string().regex(/^[\w-]{1,64}$/),
  state: z.enum(['running', 'done', 'stopped', 'failed']),
  /** What a date can be. */
  startedAt: number.min(0).max(8.64e15),
  model: z.string(),
  drafter: z.string(),
  prompt: z.string(),
  chat: z.boolean(),
  text: z.string(),
  tokens: z.array(Token),
  rates: Rates,
  declined: z.string(),
  end: z.string(),
  captured: z.boolean(),
});

type Named = Pick<PanelRun, 'id' | 'model' | 'startedAt'>;

/** What a person finds a run again by, as a part of a file's name. Servers may call a model anything. */
export const captureName = ({ model, startedAt }: Named): string => `${model.replace(/[^\w.-]+/g, '-').slice(0, 80)}-${fileTime(new Date(startedAt))}`;

/** A run as a line of the history. */
export const entryOf = ({ id, state, startedAt, model, prompt, rates }: PanelRun): PanelEntry => ({ id, state, startedAt, model, prompt: prompt.slice(0, 500), tokens: rates.tokens });

export class History {
  private runs: PanelRun[];

  constructor(
    private readonly state: Pick<vscode.Memento, 'get' | 'update'>,
    private readonly folder: string,
  ) {
    const stored = z.array(z.unknown()).safeParse(state.get(key));
    // One that an older version wrote otherwise is dropped, not all.
    this.runs = (stored.success ? stored.data : []).slice(0, limits.runs).flatMap((one) => Run.safeParse(one).data ?? []);
  }

  get entries(): PanelEntry[] {
    return this.runs.map(entryOf);
  }

  get latest(): PanelRun | undefined {
    return this.runs[0];
  }

  find(id: string): PanelRun | undefined {
    return this.runs.find((run) => run.id === id);
  }

  captureFile(run: Named): string {
    return path.join(this.folder, `${captureName(run)}-${run.id.slice(0, 8)}${captureLogExtension}`);
  }

  /** `capture`: the log of its rounds, null for none. Where that cannot be written the run is kept without, and the reason is given back. */
  async add(run: PanelRun, capture: string | null): Promise<{ run: PanelRun; refused: Problem | null }> {
    const refused = capture === null ? null : await this.write(run, capture);
    const kept = { ...run, captured: capture !== null && refused === null };
    await this.keep([kept, ...this.runs.filter(({ id }) => id !== run.id)]);
    return { run: kept, refused };
  }

  async remove(id: string): Promise<void> {
    await this.keep(this.runs.filter((run) => run.id !== id));
  }

  async clear(): Promise<void> {
    await this.keep([]);
  }

  private async write(run: Named, capture: string): Promise<Problem | null> {
    const file = this.captureFile(run);
    try {
      await writeInto(file, capture);
      return null;
    } catch (error) {
      return new Problem({ kind: 'environment', title: l10n.t('The rounds of this run cannot be kept: {0}', fileReason(error)), place: file, action: l10n.t('Run it again when there is space') }, { cause: error });
    }
  }

  private async keep(runs: readonly PanelRun[]): Promise<void> {
    const before = this.runs;
    const kept: PanelRun[] = [];
    let chars = 0;
    for (const run of runs.slice(0, limits.runs)) {
      const small = JSON.stringify(run).length > limits.runChars ? { ...run, tokens: [], prompt: run.prompt.slice(0, limits.runChars / 4), text: run.text.slice(0, limits.runChars / 2) } : run;
      chars += JSON.stringify(small).length;
      if (chars > limits.chars) break;
      kept.push(small);
    }
    this.runs = kept;
    await this.state.update(key, kept);
    const gone = before.filter(({ id, captured }) => captured && !kept.some((run) => run.id === id));
    for (const run of gone) await rm(this.captureFile(run), { force: true });
  }
}
