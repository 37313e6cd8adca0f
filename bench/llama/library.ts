// The prebuilt llama.cpp as functions. Loaded in a process of its own: it spins threads, and a fault in it ends that process alone.
import koffi, { type LibraryHandle } from 'koffi';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { checkSizes, type Batch, type Params, type Pointer } from './structs';

/** File names carry the release. */
function find(folder: string, pattern: RegExp): string {
  const name = readdirSync(folder).find((file) => pattern.test(file));
  if (name === undefined) throw new Error(`${folder} holds no ${String(pattern)}; install the library again: npm ci --prefix bench --ignore-scripts`);
  return path.join(folder, name);
}

/** What is called of it. */
export interface LlamaFunctions {
  readonly copy: (to: Pointer, from: Pointer, n: number) => Pointer;
  readonly setLog: (callback: Pointer, data: null) => void;
  readonly loadBackends: (folder: string) => void;
  readonly loadBackend: (file: string) => Pointer;
  readonly init: () => void;
  readonly version: () => string;
  readonly ggmlVersion: () => string;
  readonly commit: () => string;
  readonly systemInfo: () => string;
  readonly modelDefaults: () => Params;
  readonly contextDefaults: () => Params;
  readonly loadModel: (path: string, params: Params) => Pointer;
  readonly freeModel: (model: Pointer) => void;
  readonly modelBytes: (model: Pointer) => number | bigint;
  readonly vocabulary: (model: Pointer) => Pointer;
  readonly vocabularySize: (vocab: Pointer) => number;
  readonly createContext: (model: Pointer, params: Params) => Pointer;
  readonly freeContext: (context: Pointer) => void;
  readonly memory: (context: Pointer) => Pointer;
  readonly clear: (memory: Pointer, data: boolean) => void;
  readonly createBatch: (tokens: number, embd: number, sequences: number) => Batch;
  readonly freeBatch: (batch: Batch) => void;
  readonly decode: (context: Pointer, batch: Batch) => number;
  readonly synchronize: (context: Pointer) => void;
  readonly logits: (context: Pointer, row: number) => Pointer;
  readonly threadpoolDefaults: (params: Params, threads: number) => void;
  readonly attachThreadpool: (context: Pointer, pool: Pointer, batchPool: Pointer) => void;
  readonly createThreadpool: (params: Params) => Pointer;
  readonly freeThreadpool: (pool: Pointer) => void;
}

/** C prototypes by library; "kernels" is the library that the loader picks for this CPU. */
const prototypes: Record<'system' | 'base' | 'ggml' | 'llama' | 'kernels', Partial<Record<keyof LlamaFunctions, string>>> = {
  system: {
    copy: 'void *memcpy(void *to, void *from, size_t n)',
  },
  base: {
    ggmlVersion: 'const char *ggml_version()',
    commit: 'const char *ggml_commit()',
    threadpoolDefaults: 'void ggml_threadpool_params_init(_Inout_ ggml_threadpool_params *params, int threads)',
  },
  ggml: {
    loadBackends: 'void ggml_backend_load_all_from_path(const char *folder)',
    loadBackend: 'void *ggml_backend_load(const char *path)',
  },
  llama: {
    setLog: 'void llama_log_set(void *callback, void *data)',
    init: 'void llama_backend_init()',
    version: 'const char *llama_version()',
    systemInfo: 'const char *llama_print_system_info()',
    modelDefaults: 'llama_model_params llama_model_default_params()',
    contextDefaults: 'llama_context_params llama_context_default_params()',
    loadModel: 'void *llama_model_load_from_file(const char *path, llama_model_params params)',
    freeModel: 'void llama_model_free(void *model)',
    modelBytes: 'uint64_t llama_model_size(void *model)',
    vocabulary: 'void *llama_model_get_vocab(void *model)',
    vocabularySize: 'int32_t llama_vocab_n_tokens(void *vocab)',
    createContext: 'void *llama_init_from_model(void *model, llama_context_params params)',
    freeContext: 'void llama_free(void *context)',
    memory: 'void *llama_get_memory(void *context)',
    clear: 'void llama_memory_clear(void *memory, bool data)',
    createBatch: 'llama_batch llama_batch_init(int32_t tokens, int32_t embd, int32_t sequences)',
    freeBatch: 'void llama_batch_free(llama_batch batch)',
    decode: 'int32_t llama_decode(void *context, llama_batch batch)',
    synchronize: 'void llama_synchronize(void *context)',
    logits: 'void *llama_get_logits_ith(void *context, int32_t row)',
    attachThreadpool: 'void llama_attach_threadpool(void *context, void *pool, void *batchPool)',
  },
  kernels: {
    createThreadpool: 'void *ggml_threadpool_new(ggml_threadpool_params *params)',
    freeThreadpool: 'void ggml_threadpool_free(void *pool)',
  },
};

function bind(library: LibraryHandle, name: keyof typeof prototypes): Partial<LlamaFunctions> {
  const entries = Object.entries(prototypes[name]).map(([key, prototype]) => [key, library.func(prototype)] as const);
  return Object.fromEntries(entries);
}

export interface LlamaLibrary {
  readonly call: LlamaFunctions;
  /** CPU variant that its loader chose: "haswell". */
  readonly variant: string;
  /** What it has said last, for the text of an error. */
  readonly lastWords: () => string;
}

const keptLines = 8;

/** Its log, kept from the terminal. */
function listen(setLog: LlamaFunctions['setLog']): { readonly lines: string[]; chosen: string } {
  const log = { lines: [] as string[], chosen: '' };
  const prototype = koffi.proto('void moire_bench_log(int level, const char *text, void *data)');
  const callback = koffi.register((_level: number, text: string) => {
    log.chosen = /loaded CPU backend from (\S+)/.exec(text)?.[1] ?? log.chosen;
    log.lines.push(text);
    if (log.lines.length > keptLines) log.lines.shift();
  }, koffi.pointer(prototype));
  setLog(callback, null);
  return log;
}

/** Room for the recursion of the library's own code. Only before any library is loaded into the process. */
export function reserveStack(): void {
  koffi.config({ sync_stack_size: 16 << 20 });
}

/** Load the libraries in `folder`, and the kernels that are named ("haswell"), else those that fit this CPU best. Throws with what went wrong. */
export function loadLlama(folder: string, variant?: string): LlamaLibrary {
  checkSizes();
  const load = (pattern: RegExp): LibraryHandle => koffi.load(find(folder, pattern));
  const call = {
    ...bind(koffi.load('libc.so.6'), 'system'),
    ...bind(load(/^libggml-base\.so/), 'base'),
    ...bind(load(/^libggml\.(v[\d.]+\.)?so/), 'ggml'),
    ...bind(load(/^libllama\.(v[\d.]+\.)?so/), 'llama'),
  } as LlamaFunctions;
  const log = listen(call.setLog);
  if (variant === undefined) call.loadBackends(folder);
  else call.loadBackend(find(folder, new RegExp(`^libggml-cpu-${variant}\\.so$`)));
  call.init();
  if (log.chosen === '') throw new Error(`llama.cpp found no kernels for this CPU in ${folder}: ${log.lines.join('').trim()}`);
  const chosen = /libggml-cpu-(.+)\.so$/.exec(log.chosen)?.[1] ?? path.basename(log.chosen);
  return { call: { ...call, ...bind(koffi.load(log.chosen), 'kernels') }, variant: chosen, lastWords: () => log.lines.join('').trim() };
}
