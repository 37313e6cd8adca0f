// An answer that comes as server-sent events, put together to the document that the same request gives as a whole.
import { createParser } from 'eventsource-parser';
import { Problem } from '../problem';
import { saidBy, wrongShape } from './failure';
import { jsonOf, type Received } from './http';

type Json = Readonly<Record<string, unknown>>;

/** The data of every event. Ends at [DONE]; throws where the stream ends before it. */
async function* eventsOf({ body, where, clean }: Received): AsyncGenerator<string> {
  const ready: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => void ready.push(data) });
  const decoder = new TextDecoder();
  for await (const piece of body) {
    parser.feed(decoder.decode(piece, { stream: true }));
    for (const data of ready.splice(0)) {
      if (data.trim() === '[DONE]') return;
      yield clean(data);
    }
  }
  throw new Problem({ kind: 'environment', title: 'The stream of the server ended before its last event', place: where, action: 'See the log of the server' });
}

const object = (value: unknown): Json => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** One by one: a server may send more in a piece than a call takes arguments. */
function append(to: unknown[], more: readonly unknown[]): void {
  for (const one of more) to.push(one);
}

/** Lists of pieces become one list, whichever lists a server has in its log probabilities. */
function joinLists(into: Record<string, unknown[]>, more: Json): void {
  for (const [name, value] of Object.entries(more)) if (Array.isArray(value)) append((into[name] ??= []), value);
}

class Assembly {
  private readonly kept: Record<string, unknown> = {};
  private readonly choice: Record<string, unknown> = {};
  private readonly logprobs: Record<string, unknown[]> = {};
  private readonly ids: unknown[] = [];
  private content = '';

  add(piece: Json): void {
    const { choices, ...others } = piece;
    for (const [name, value] of Object.entries(others)) if (value !== null && value !== undefined) this.kept[name] = value;
    // One choice was asked for.
    const [first] = list(choices);
    const { delta, text: own, logprobs, token_ids: ids, message: _, ...rest } = object(first);
    this.content += text(own) + text(object(delta)['content']);
    joinLists(this.logprobs, object(logprobs));
    append(this.ids, list(ids));
    for (const [name, value] of Object.entries(rest)) if (value !== null && value !== undefined) this.choice[name] = value;
  }

  get document(): Json {
    const logprobs = Object.keys(this.logprobs).length === 0 ? {} : { logprobs: this.logprobs };
    return { ...this.kept, choices: [{ ...this.choice, text: this.content, ...logprobs, ...(this.ids.length === 0 ? {} : { token_ids: this.ids }) }] };
  }
}

/** Throws a Problem for an error event, for what is no JSON, and for a stream that breaks off. */
export async function streamedDocument(received: Received): Promise<unknown> {
  const type = received.headers.get('content-type') ?? '';
  if (!type.includes('text/event-stream')) throw wrongShape('a stream of events', `its content type is ${type === '' ? 'not given' : type}`, received.where);
  const assembly = new Assembly();
  for await (const data of eventsOf(received)) {
    const piece = object(jsonOf(data, received.where));
    if (piece['error'] !== undefined && piece['error'] !== null) throw new Problem({ kind: 'environment', title: `The server ended its stream with an error: ${saidBy(data)}`, place: received.where, action: 'See the log of the server' });
    assembly.add(piece);
  }
  return assembly.document;
}
