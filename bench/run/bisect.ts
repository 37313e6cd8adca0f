// The product's own bisect against the forwards it makes: it runs over sessions that write down every forward, which are then made again with nothing else.
import { bisect } from '../../src/engine/probes/bisect';
import type { Engine, ForwardOptions, Ids, Model, Session, Step, Switches } from '../../src/engine/types';
import { exactSwitches, logitsAlone } from './exact';
import { timed } from './turn';

type Forward = 'prefill' | 'decode' | 'verify';

/** A session in the order of the run: where it came from, and what it computed. */
interface Track {
  readonly switches: Switches;
  /** The track it was forked from and how many calls that had made by then; null for a fresh session. */
  readonly origin: { readonly parent: Track; readonly calls: number } | null;
  readonly calls: { readonly forward: Forward; readonly ids: Ids; readonly logits: ForwardOptions['logits'] }[];
}

export interface BisectTimes {
  /** Milliseconds of the bisect, and of its forwards made again without taps and comparisons. */
  readonly bisect: number[];
  readonly forwards: number[];
  readonly calls: number;
}

const width = 8;
const promptLength = 64;

function record(session: Session, track: Track, tracks: Track[]): Session {
  const run = (forward: Forward, ids: Ids, options: ForwardOptions | undefined, result: Promise<Step>): Promise<Step> => {
    track.calls.push({ forward, ids, logits: options?.logits });
    return result;
  };
  return {
    switches: session.switches,
    notes: session.notes,
    batch: session.batch,
    get position() {
      return session.position;
    },
    prefill: (ids, options) => run('prefill', ids, options, session.prefill(ids, options)),
    decode: (ids, options) => run('decode', ids, options, session.decode(ids, options)),
    verify: (ids, options) => run('verify', ids, options, session.verify(ids, options)),
    rewind: (rows, call) => session.rewind(rows, call),
    fork: async (call) => {
      const child: Track = { switches: track.switches, origin: { parent: track, calls: track.calls.length }, calls: [] };
      tracks.push(child);
      return record(await session.fork(call), child, tracks);
    },
    join: () => Promise.reject(new Error('a bisect joins no sessions')),
    state: (layer, call) => session.state(layer, call),
    close: () => session.close(),
  };
}

/** The model, with every session it opens written down. */
function recording(model: Model, tracks: Track[]): Model {
  return {
    info: model.info,
    tokenize: (text, options) => model.tokenize(text, options),
    detokenize: (ids, options) => model.detokenize(ids, options),
    chat: (messages, options) => model.chat(messages, options),
    drafter: (path, call) => model.drafter(path, call),
    open: async (switches, options) => {
      const track: Track = { switches: switches ?? {}, origin: null, calls: [] };
      tracks.push(track);
      return record(await model.open(switches, options), track, tracks);
    },
    close: () => model.close(),
  };
}

async function again(session: Session, { forward, ids, logits }: Track['calls'][number]): Promise<void> {
  const options: ForwardOptions = { ...logitsAlone, logits };
  const step = await (forward === 'decode' ? session.decode(ids as readonly number[], options) : session[forward](ids, options));
  step.close();
}

/** Milliseconds of the forwards alone; forks and opening are not counted. */
async function forwardsAgain(model: Model, tracks: readonly Track[]): Promise<number> {
  const sessions = new Map<Track, Session>();
  const made = new Map<Track, number>();
  let total = 0;
  try {
    for (const track of tracks) {
      const { origin } = track;
      if (origin !== null && made.get(origin.parent) !== origin.calls) throw new Error('the bisect forked a session in the middle of its calls; the comparison has to follow it');
      const session = await (origin === null ? model.open(track.switches) : (sessions.get(origin.parent)?.fork() ?? model.open(track.switches)));
      sessions.set(track, session);
      for (const call of track.calls) total += await timed(() => again(session, call));
      made.set(track, track.calls.length);
    }
  } finally {
    for (const session of sessions.values()) session.close();
  }
  return total;
}

/** One block of 8 against 8 single steps: all layers, all taps, state, repeat and noise floor, as a user runs it. */
export async function bisectCost(engine: Engine, model: Model, threads: number, rounds: number): Promise<BisectTimes> {
  const times = { bisect: [] as number[], forwards: [] as number[] };
  let calls = 0;
  for (let i = 0; i < rounds; i += 1) {
    const tracks: Track[] = [];
    const experiment = { kind: 'bisect', model: model.info.path, widths: [width], input: { type: 'draws', draws: 1, promptLength }, walk: 0, switches: { ...exactSwitches(model.info, threads) } } as const;
    times.bisect.push(
      await timed(async () => {
        await bisect(engine, recording(model, tracks), { ...experiment, widths: [width] });
      }),
    );
    times.forwards.push(await forwardsAgain(model, tracks));
    calls = tracks.reduce((sum, track) => sum + track.calls.length, 0);
  }
  return { ...times, calls };
}
