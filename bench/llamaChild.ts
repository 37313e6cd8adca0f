// Entry of the child that holds llama.cpp. Arguments: folder of its libraries; which of its kernels, if they are chosen.
import process from 'node:process';
import { loadLlama, reserveStack } from './llama/library';
import { LlamaContext, loadLlamaModel, type LlamaModel } from './llama/context';
import { serve, type CommonCalls, type Handlers } from './run/protocol';
import { idleCpu, memoryNow } from './run/selfInfo';
import { runTurn, tokenAt, type Runner } from './run/turn';

export interface LlamaFacts {
  readonly version: string;
  readonly ggml: string;
  readonly commit: string;
  readonly variant: string;
  readonly system: string;
}

export interface LlamaCalls extends CommonCalls {
  facts(): Promise<LlamaFacts>;
}

reserveStack();
const library = loadLlama(process.argv[2] ?? '', process.argv[3]);
let model: LlamaModel | null = null;

function loaded(): LlamaModel {
  if (model === null) throw new Error('no model is loaded');
  return model;
}

function runner(): Runner {
  let context: LlamaContext | null = null;
  const forward = (ids: readonly number[], outputs: 'last' | 'all'): Promise<void> => Promise.resolve(context?.forward(ids, outputs));
  return {
    begin: (threads) => {
      context = new LlamaContext(library, loaded(), threads);
      return Promise.resolve();
    },
    prefill: (ids) => forward(ids, 'last'),
    decode: (id) => forward([id], 'last'),
    verify: (ids) => forward(ids, 'all'),
    end: () => context?.close(),
  };
}

/** A context that has computed `tokens` tokens, for what `use` wants of it. */
async function withContext<T>(threads: number, tokens: number, use: (context: LlamaContext) => T | Promise<T>): Promise<T> {
  const { vocab } = loaded();
  const context = new LlamaContext(library, loaded(), threads);
  try {
    context.forward(Array.from({ length: tokens }, (_, i) => tokenAt(i + 1, vocab)), 'last');
    return await use(context);
  } finally {
    context.close();
  }
}

const handlers: Handlers<LlamaCalls> = {
  facts: () => {
    const { version, ggmlVersion, commit, systemInfo } = library.call;
    return Promise.resolve({ version: version(), ggml: ggmlVersion(), commit: commit(), variant: library.variant, system: systemInfo() });
  },
  load: (path) => {
    const before = memoryNow();
    model = loadLlamaModel(library, path);
    return Promise.resolve({ weightBytes: model.bytes, vocab: model.vocab, before });
  },
  unload: () => {
    library.call.freeModel(loaded().pointer);
    model = null;
    return Promise.resolve();
  },
  turn: (plan) => runTurn(runner(), plan),
  logits: ({ tokens, threads }) => withContext(threads, tokens, (context) => context.logits(tokens)),
  memory: (threads) => withContext(threads, 64, () => memoryNow()),
  idle: (threads) => withContext(threads, 64, () => idleCpu()),
};

serve<LlamaCalls>(handlers);
