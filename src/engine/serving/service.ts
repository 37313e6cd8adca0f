// A model that is served: engine, drafter, gate and scheduler, from start to close.
import path from 'node:path';
import { GateMemo } from '../probes/gate/memo';
import { throwIfCancelled } from '../problem';
import { widthOf, type Width } from '../speculative/width';
import type { Call, ChatMessage, Drafter, Engine, EngineInfo, Model, ModelInfo, Switches } from '../types';
import { CaptureFile } from './captureFile';
import type { ServedHeader } from './captureLines';
import { Captures } from './captures';
import type { ServeOptions } from './options';
import type { GenerateRequest, Outcome } from './request';
import { Scheduler } from './scheduler';
import type { Listener } from './served';
import { gateDecisions, type Decisions } from './servedGate';

export interface ServedFacts {
  /** Name of the folder: what clients call the model. */
  readonly id: string;
  readonly path: string;
  readonly architecture: string;
  readonly fingerprint: string;
  readonly context: number;
  readonly vocab: number;
  readonly tokenizer: boolean;
  readonly chatTemplate: boolean;
  /** Texts of the tokens around a gap, null where the tokenizer has none. */
  readonly fillInMiddle: { readonly prefix: string; readonly suffix: string; readonly middle: string } | null;
  readonly switches: Switches;
  readonly notes: readonly string[];
  readonly speculation: { readonly drafter: string; readonly family: string; readonly width: number; readonly widthFrom: string; readonly note: string } | null;
  readonly parallel: number;
}

export interface ServedState {
  readonly waiting: number;
  readonly running: number;
  readonly cachedPrefixes: number;
  /** Of every batch size that the gate was asked for; null while it runs. */
  readonly gate: readonly { readonly batch: number; readonly engaged: boolean; readonly reason: string }[] | null;
}

const fimTokens = { prefix: '<|fim_prefix|>', suffix: '<|fim_suffix|>', middle: '<|fim_middle|>' } as const;

interface Parts {
  readonly model: Model;
  readonly drafter: Drafter | null;
  readonly scheduler: Scheduler;
  readonly stop: AbortController;
  readonly decisions: Promise<Decisions>;
}

export class ServedModel {
  private decided: Decisions | null = null;

  private constructor(
    readonly facts: ServedFacts,
    private readonly its: Parts,
  ) {
    its.decisions.then((found) => (this.decided = found)).catch(() => (this.decided = new Map()));
  }

  /** Loads model and drafter; the gate goes on after it, and requests wait for it. Throws a Problem for what cannot be served. */
  static async start(engine: Engine, options: ServeOptions, call: Call & { onWarning?: (sentence: string) => void } = {}): Promise<ServedModel> {
    const { switches, parallel, pieceTokens } = options;
    const { onWarning = () => undefined } = call;
    const model = await engine.load(options.model, call);
    let drafter: Drafter | null = null;
    try {
      throwIfCancelled(call.signal);
      const session = await model.open(switches, call);
      const { switches: resolved, notes } = session;
      session.close();
      drafter = options.drafter === null ? null : await model.drafter(options.drafter, call);
      const width = drafter === null ? null : widthOf(drafter.info, options.width ?? undefined);
      const header = headerOf(engine.info(), model.info, resolved, drafter, width);
      const gap = await fillInMiddle(model);
      // Before the gate: a start that fails leaves no probe behind that runs on a model which is closed.
      const file = await captureFor(options, header, onWarning);
      const stop = new AbortController();
      const decisions: Promise<Decisions> =
        drafter === null || width === null
          ? Promise.resolve(new Map())
          : gateDecisions({ engine, model, drafter, width, switches: resolved, memo: new GateMemo(), most: parallel, override: options.override }, { signal: stop.signal });
      const speculation = drafter === null || width === null ? null : { drafter, width: width.used, decisions };
      const scheduler = new Scheduler({ model, switches: resolved, speculation, most: parallel, pieceTokens, cache: { entries: options.cacheEntries, tokens: options.cacheTokens }, captures: new Captures(header, file) });
      const { architecture, fingerprint, context, vocab, tokenizer, chatTemplate } = model.info;
      const facts: ServedFacts = {
        id: path.basename(path.resolve(options.model)),
        path: model.info.path,
        architecture,
        fingerprint,
        context,
        vocab,
        tokenizer,
        chatTemplate,
        fillInMiddle: gap,
        switches: resolved,
        notes,
        speculation: drafter === null || width === null ? null : { drafter: drafter.info.path, family: drafter.info.family, width: width.used, widthFrom: width.from, note: width.note },
        parallel,
      };
      return new ServedModel(facts, { model, drafter, scheduler, stop, decisions });
    } catch (error) {
      drafter?.close();
      model.close();
      throw error;
    }
  }

  tokenize(text: string, special: boolean): Promise<number[]> {
    return this.its.model.tokenize(text, { special });
  }

  detokenize(ids: readonly number[], skipSpecial: boolean): Promise<{ text: string; pieces: string[] }> {
    return this.its.model.detokenize(ids, { skipSpecial });
  }

  chat(messages: readonly ChatMessage[], variables: Readonly<Record<string, unknown>>): Promise<{ text: string; ids: number[] }> {
    return this.its.model.chat(messages, { addGenerationPrompt: true, variables });
  }

  generate(request: GenerateRequest, listener: Listener): Promise<Outcome> {
    return this.its.scheduler.generate(request, listener);
  }

  state(): ServedState {
    const gate = this.decided === null ? null : [...this.decided].map(([batch, { decision, reason }]) => ({ batch, engaged: decision !== 'decline', reason }));
    return { ...this.its.scheduler.state, gate };
  }

  async close(): Promise<void> {
    this.its.stop.abort();
    await this.its.decisions.catch(() => undefined);
    await this.its.scheduler.close();
    this.its.drafter?.close();
    this.its.model.close();
  }
}

function headerOf({ engine, version, git }: EngineInfo, model: ModelInfo, switches: Switches, drafter: Drafter | null, width: Width | null): ServedHeader {
  return {
    model: `${model.path} ${model.fingerprint}`,
    drafter: drafter === null ? '' : `${drafter.info.path} ${drafter.info.fingerprint}`,
    engine: `${engine} ${version} ${git}`,
    switches,
    width: width?.used ?? 0,
    widthFrom: width?.from ?? '',
    prefill: 'causal',
    // Every request has its own.
    partition: [],
    sampling: {},
  };
}

async function captureFor({ capture, resumed }: ServeOptions, header: ServedHeader, onWarning: (sentence: string) => void): Promise<CaptureFile | null> {
  if (capture === null) return null;
  return resumed === true ? CaptureFile.resume(capture, header, onWarning) : CaptureFile.create(capture, header, onWarning);
}

/** Where each text is one token, the tokenizer knows them. */
async function fillInMiddle(model: Model): Promise<ServedFacts['fillInMiddle']> {
  if (!model.info.tokenizer) return null;
  for (const text of Object.values(fimTokens)) if ((await model.tokenize(text, { special: false })).length !== 1) return null;
  return fimTokens;
}
