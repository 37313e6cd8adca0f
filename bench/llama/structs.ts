// Structs of llama.cpp v0.4.0 that cross by value. Layouts change between releases, so sizes are checked when the library is loaded.
import koffi from 'koffi';

const modelParams = koffi.struct('llama_model_params', {
  devices: 'void *',
  tensor_buft_overrides: 'void *',
  n_gpu_layers: 'int32_t',
  split_mode: 'int32_t',
  load_mode: 'int32_t',
  lazy_mode: 'int32_t',
  main_gpu: 'int32_t',
  tensor_split: 'void *',
  progress_callback: 'void *',
  progress_callback_user_data: 'void *',
  kv_overrides: 'void *',
  vocab_only: 'bool',
  check_tensors: 'bool',
  use_extra_bufts: 'bool',
  no_host: 'bool',
  no_alloc: 'bool',
  load_mtp: 'bool',
});

const contextParams = koffi.struct('llama_context_params', {
  n_ctx: 'uint32_t',
  n_batch: 'uint32_t',
  n_ubatch: 'uint32_t',
  n_seq_max: 'uint32_t',
  n_rs_seq: 'uint32_t',
  n_outputs_max: 'uint32_t',
  n_outputs_max_per_seq: 'uint32_t',
  n_threads: 'int32_t',
  n_threads_batch: 'int32_t',
  ctx_type: 'int32_t',
  rope_scaling_type: 'int32_t',
  pooling_type: 'int32_t',
  attention_type: 'int32_t',
  flash_attn_type: 'int32_t',
  rope_freq_base: 'float',
  rope_freq_scale: 'float',
  yarn_ext_factor: 'float',
  yarn_attn_factor: 'float',
  yarn_beta_fast: 'float',
  yarn_beta_slow: 'float',
  yarn_orig_ctx: 'uint32_t',
  defrag_thold: 'float',
  cb_eval: 'void *',
  cb_eval_user_data: 'void *',
  type_k: 'int32_t',
  type_v: 'int32_t',
  abort_callback: 'void *',
  abort_callback_data: 'void *',
  embeddings: 'bool',
  offload_kqv: 'bool',
  no_perf: 'bool',
  op_offload: 'bool',
  swa_full: 'bool',
  kv_unified: 'bool',
  samplers: 'void *',
  n_samplers: 'size_t',
  ctx_other: 'void *',
});

const batch = koffi.struct('llama_batch', { n_tokens: 'int32_t', token: 'void *', embd: 'void *', pos: 'void *', n_seq_id: 'void *', seq_id: 'void *', logits: 'void *' });

const threadpoolParams = koffi.struct('ggml_threadpool_params', { cpumask: koffi.array('bool', 512), n_threads: 'int', prio: 'int', poll: 'uint32_t', strict_cpu: 'bool', paused: 'bool' });

const sizes = [
  [modelParams, 80],
  [contextParams, 160],
  [batch, 56],
  [threadpoolParams, 528],
] as const;

/** Throws if koffi lays the structs out in another way than that release. */
export function checkSizes(): void {
  for (const [type, size] of sizes) {
    if (koffi.sizeof(type) !== size) throw new Error(`a struct of llama.cpp has ${koffi.sizeof(type)} bytes instead of ${size}`);
  }
}

/** A pointer of the library. */
export type Pointer = unknown;
export type Params = Record<string, unknown>;
/** What the fields of a batch hold: pointers to arrays of the library's own. */
export interface Batch {
  n_tokens: number;
  readonly token: Pointer;
  readonly pos: Pointer;
  readonly n_seq_id: Pointer;
  readonly seq_id: Pointer;
  readonly logits: Pointer;
}
