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

const bind = <A extends readonly unknown[], R>(library: LibraryHandle, prototype: string): ((...values: A) => R) => {
  const native = library.func(prototype);
  return (...values) => native(...values) as R;
};

function functions(base: LibraryHandle, ggml: LibraryHandle, llama: LibraryHandle) {
  return {
    copy: bind<[Pointer, Pointer, number], Pointer>(koffi.load('libc.so.6'), 'void *memcpy(void *to, void *from, size_t n)'),
    setLog: bind<[Pointer, null], undefined>(llama, 'void llama_log_set(void *callback, void *data)'),
    loadBackends: bind<[string], undefined>(ggml, 'void ggml_backend_load_all_from_path(const char *folder)'),
    init: bind<[], undefined>(llama, 'void llama_backend_init()'),
    version: bind<[], string>(llama, 'const char *llama_version()'),
    ggmlVersion: bind<[], string>(base, 'const char *ggml_version()'),
    commit: bind<[], string>(base, 'const char *ggml_commit()'),
    systemInfo: bind<[], string>(llama, 'const char *llama_print_system_info()'),
    modelDefaults: bind<[], Params>(llama, 'llama_model_params llama_model_default_params()'),
    contextDefaults: bind<[], Params>(llama, 'llama_context_params llama_context_default_params()'),
    loadModel: bind<[string, Params], Pointer>(llama, 'void *llama_model_load_from_file(const char *path, llama_model_params params)'),
    freeModel: bind<[Pointer], undefined>(llama, 'void llama_model_free(void *model)'),
    modelBytes: bind<[Pointer], number | bigint>(llama, 'uint64_t llama_model_size(void *model)'),
    vocabulary: bind<[Pointer], Pointer>(llama, 'void *llama_model_get_vocab(void *model)'),
    vocabularySize: bind<[Pointer], number>(llama, 'int32_t llama_vocab_n_tokens(void *vocab)'),
    createContext: bind<[Pointer, Params], Pointer>(llama, 'void *llama_init_from_model(void *model, llama_context_params params)'),
    freeContext: bind<[Pointer], undefined>(llama, 'void llama_free(void *context)'),
    memory: bind<[Pointer], Pointer>(llama, 'void *llama_get_memory(void *context)'),
    clear: bind<[Pointer, boolean], undefined>(llama, 'void llama_memory_clear(void *memory, bool data)'),
    createBatch: bind<[number, number, number], Batch>(llama, 'llama_batch llama_batch_init(int32_t tokens, int32_t embd, int32_t sequences)'),
    freeBatch: bind<[Batch], undefined>(llama, 'void llama_batch_free(llama_batch batch)'),
    decode: bind<[Pointer, Batch], number>(llama, 'int32_t llama_decode(void *context, llama_batch batch)'),
    synchronize: bind<[Pointer], undefined>(llama, 'void llama_synchronize(void *context)'),
    logits: bind<[Pointer, number], Pointer>(llama, 'void *llama_get_logits_ith(void *context, int32_t row)'),
    threadpoolDefaults: bind<[Params, number], undefined>(base, 'void ggml_threadpool_params_init(_Inout_ ggml_threadpool_params *params, int threads)'),
    attachThreadpool: bind<[Pointer, Pointer, Pointer], undefined>(llama, 'void llama_attach_threadpool(void *context, void *pool, void *batchPool)'),
  };
}

/** Functions of the kernels' own library, which the loader picks for this CPU. */
function kernelFunctions(file: string) {
  const library = koffi.load(file);
  return {
    createThreadpool: bind<[Params], Pointer>(library, 'void *ggml_threadpool_new(ggml_threadpool_params *params)'),
    freeThreadpool: bind<[Pointer], undefined>(library, 'void ggml_threadpool_free(void *pool)'),
  };
}

export type LlamaFunctions = ReturnType<typeof functions> & ReturnType<typeof kernelFunctions>;

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

/** Load the libraries in `folder`, and the kernels that fit this CPU best. Throws with what went wrong. */
export function loadLlama(folder: string): LlamaLibrary {
  // The library's own code recurses; before any library is loaded, see koffi.
  koffi.config({ sync_stack_size: 16 << 20 });
  checkSizes();
  const load = (pattern: RegExp): LibraryHandle => koffi.load(find(folder, pattern));
  const base = load(/^libggml-base\.so/);
  const ggml = load(/^libggml\.(v[\d.]+\.)?so/);
  const call = functions(base, ggml, load(/^libllama\.(v[\d.]+\.)?so/));
  const log = listen(call.setLog);
  call.loadBackends(folder);
  call.init();
  if (log.chosen === '') throw new Error(`llama.cpp found no kernels for this CPU in ${folder}: ${log.lines.join('').trim()}`);
  const variant = /libggml-cpu-(.+)\.so$/.exec(log.chosen)?.[1] ?? path.basename(log.chosen);
  return { call: { ...call, ...kernelFunctions(log.chosen) }, variant, lastWords: () => log.lines.join('').trim() };
}
