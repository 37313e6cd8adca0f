// The exact arm of the product's own engine as a runner.
import process from 'node:process';
import type { ForwardOptions, Model, ModelInfo, Session, Step, Switches } from '../../src/engine/types';
import type { Runner } from './turn';

/** Second argument of the child: the instruction set of the engine, undefined for the best that this CPU has. */
export const isa = process.argv[3];

/** "exact" wherever a switch has it, everything else at its default. */
export function exactSwitches({ switches }: Pick<ModelInfo, 'switches'>, threads: number): Switches {
  const exact = switches.filter(({ values }) => values?.includes('exact') === true).map(({ name }): [string, string] => [name, 'exact']);
  return { ...Object.fromEntries(exact), ...(isa === undefined ? {} : { isa }), threads };
}

/** No candidates: choosing among logits is no part of what llama.cpp is timed for. */
export const logitsAlone: ForwardOptions = { top: 0 };

export class ExactRunner implements Runner {
  private session: Session | null = null;
  /** Milliseconds that the engine itself counted, of all calls; the rest is the binding. */
  engineMs = 0;

  constructor(
    private readonly model: Model,
    private readonly options: ForwardOptions = logitsAlone,
  ) {}

  async begin(threads: number): Promise<void> {
    this.session = await this.model.open(exactSwitches(this.model.info, threads));
  }

  async prefill(ids: readonly number[]): Promise<void> {
    this.finish(await this.open().prefill(ids, logitsAlone));
  }

  async decode(id: number): Promise<void> {
    this.finish(await this.open().decode([id], this.options));
  }

  async verify(ids: readonly number[]): Promise<void> {
    this.finish(await this.open().verify(ids, this.options));
  }

  end(): void {
    this.session?.close();
    this.session = null;
  }

  private open(): Session {
    if (this.session === null) throw new Error('no sequence has begun');
    return this.session;
  }

  private finish(step: Step): void {
    this.engineMs += step.ms;
    step.close();
  }
}

/** Logits of the last row after a prefill of `ids`. */
export async function logitsAfter(model: Model, ids: readonly number[], threads: number): Promise<Float32Array> {
  const session = await model.open(exactSwitches(model.info, threads));
  const step = await session.prefill(ids, logitsAlone);
  try {
    if (step.logits === null) throw new Error('the engine gave no logits');
    return toFloats(step.logits.dtype, await step.logits.read());
  } finally {
    step.close();
    session.close();
  }
}

function toFloats(dtype: string, bytes: Uint8Array): Float32Array {
  const { buffer, byteOffset, byteLength } = bytes;
  if (dtype === 'f32') return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
  if (dtype !== 'bf16') throw new Error(`logits of dtype ${dtype} are not read here`);
  const upper = Uint32Array.from(new Uint16Array(buffer.slice(byteOffset, byteOffset + byteLength)), (bits) => bits << 16);
  return new Float32Array(upper.buffer);
}

