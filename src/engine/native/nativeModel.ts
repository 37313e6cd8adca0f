// A model of the native engine.
import type { Call, ChatMessage, Model, ModelInfo, Switches } from '../types';
import { runJob } from './jobs';
import type { NativeLibrary } from './library';
import { NativeDrafter } from './nativeDrafter';
import { NativeHandle } from './nativeHandle';
import { NativeSession } from './nativeSession';
import { ChatText, LoadedDrafter, Opened, Text, Tokens } from './results';

export class NativeModel extends NativeHandle implements Model {
  constructor(
    library: NativeLibrary,
    handle: number,
    readonly info: ModelInfo,
  ) {
    super(library, handle);
  }

  async tokenize(text: string, { special, ...call }: { special?: boolean } & Call = {}): Promise<number[]> {
    return (await runJob(this.library, this.handle, { kind: 'tokenize', text, special }, Tokens, call)).ids;
  }

  detokenize(ids: readonly number[], { skipSpecial, more, ...call }: { skipSpecial?: boolean; more?: readonly (readonly number[])[] } & Call = {}): Promise<{ text: string; pieces: string[]; more: string[] }> {
    return runJob(this.library, this.handle, { kind: 'detokenize', ids, skipSpecial, more }, Text, call);
  }

  chat(
    messages: readonly ChatMessage[],
    { addGenerationPrompt, variables, ...call }: { addGenerationPrompt?: boolean; variables?: Readonly<Record<string, unknown>> } & Call = {},
  ): Promise<{ text: string; ids: number[] }> {
    return runJob(this.library, this.handle, { kind: 'chat', messages, addGenerationPrompt, variables }, ChatText, call);
  }

  async open(switches?: Switches, { batch, ...call }: { batch?: number } & Call = {}): Promise<NativeSession> {
    const opened = await runJob(this.library, this.handle, { kind: 'open', switches, batch }, Opened, call);
    return new NativeSession(this.library, opened.handle, opened.switches, opened.notes, Array<number>(opened.batch).fill(0));
  }

  async drafter(path: string, call?: Call): Promise<NativeDrafter> {
    const { handle, drafter } = await runJob(this.library, this.handle, { kind: 'loadDrafter', path }, LoadedDrafter, call);
    return new NativeDrafter(this.library, handle, drafter);
  }
}
