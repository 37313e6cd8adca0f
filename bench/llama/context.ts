// A model and a context of llama.cpp: tokens in, logits out.
import type { LlamaLibrary } from './library';
import type { Batch, Params, Pointer } from './structs';

export interface LlamaModel {
  readonly pointer: Pointer;
  readonly bytes: number;
  readonly vocab: number;
}

export function loadLlamaModel({ call, lastWords }: LlamaLibrary, file: string): LlamaModel {
  const pointer = call.loadModel(file, call.modelDefaults());
  if (pointer === null) throw new Error(`llama.cpp cannot load ${file}: ${lastWords()}`);
  return { pointer, bytes: Number(call.modelBytes(pointer)), vocab: call.vocabularySize(call.vocabulary(pointer)) };
}

/** Rows whose logits are wanted. */
export type Outputs = 'last' | 'all';

const mostTokens = 512;
const positions = 1024;

/** One sequence. Its thread pool is attached, since llama.cpp makes a new one for every call otherwise. */
export class LlamaContext {
  private readonly pointer: Pointer;
  private readonly pool: Pointer;
  private readonly batch: Batch;
  private position = 0;

  constructor(
    private readonly library: LlamaLibrary,
    private readonly model: LlamaModel,
    threads: number,
  ) {
    const { call } = library;
    const wanted = { n_ctx: positions, n_batch: mostTokens, n_ubatch: mostTokens, n_threads: threads, n_threads_batch: threads, n_outputs_max_per_seq: 0 };
    const pointer = call.createContext(model.pointer, { ...call.contextDefaults(), ...wanted });
    if (pointer === null) throw new Error(`llama.cpp makes no context: ${library.lastWords()}`);
    this.pointer = pointer;
    const params: Params = { cpumask: Array<boolean>(512).fill(false), n_threads: threads, prio: 0, poll: 0, strict_cpu: false, paused: false };
    call.threadpoolDefaults(params, threads);
    this.pool = call.createThreadpool(params);
    call.attachThreadpool(this.pointer, this.pool, this.pool);
    this.batch = call.createBatch(mostTokens, 0, 1);
    this.nameOneSequence();
  }

  /** Every token belongs to sequence 0. */
  private nameOneSequence(): void {
    const { copy } = this.library.call;
    const pointers = new BigUint64Array(mostTokens);
    copy(pointers, this.batch.seq_id, pointers.byteLength);
    for (const pointer of pointers) copy(pointer, Int32Array.of(0), 4);
    copy(this.batch.n_seq_id, new Int32Array(mostTokens).fill(1), 4 * mostTokens);
  }

  /** Computes `ids` at the next positions; the logits are there when it returns. Throws with what llama.cpp said. */
  forward(ids: readonly number[], outputs: Outputs): void {
    const { call, lastWords } = this.library;
    const rows = ids.length;
    call.copy(this.batch.token, Int32Array.from(ids), 4 * rows);
    call.copy(this.batch.pos, Int32Array.from(ids, (_, i) => this.position + i), 4 * rows);
    call.copy(this.batch.logits, Int8Array.from(ids, (_, i) => (outputs === 'all' || i === rows - 1 ? 1 : 0)), rows);
    this.batch.n_tokens = rows;
    const code = call.decode(this.pointer, this.batch);
    if (code !== 0) throw new Error(`llama.cpp computed nothing (${code}): ${lastWords()}`);
    call.synchronize(this.pointer);
    if (call.logits(this.pointer, rows - 1) === null) throw new Error('llama.cpp gave no logits');
    this.position += rows;
  }

  /** Copies the logits of the last row of a call of `rows` rows. */
  logits(rows: number): Float32Array {
    const out = new Float32Array(this.model.vocab);
    this.library.call.copy(out, this.library.call.logits(this.pointer, rows - 1), out.byteLength);
    return out;
  }

  clear(): void {
    this.library.call.clear(this.library.call.memory(this.pointer), true);
    this.position = 0;
  }

  close(): void {
    const { call } = this.library;
    call.freeContext(this.pointer);
    call.freeThreadpool(this.pool);
    call.freeBatch(this.batch);
  }
}
