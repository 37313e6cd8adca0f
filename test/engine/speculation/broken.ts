// Sessions with a planted fault. Everything but the fault is the real engine's: what is wrong comes from a second real session beside the right one.
import type { Drafter, LayerState, Model, Rewound, Session, Step } from '../../../src/engine/types';
import { target } from './support';

/** A model whose sessions are wrapped. */
export function modelWith(wrap: (open: () => Promise<Session>) => Promise<Session>, model: Model = target): Model {
  return {
    info: model.info,
    tokenize: (text, options) => model.tokenize(text, options),
    detokenize: (ids, options) => model.detokenize(ids, options),
    chat: (messages, options) => model.chat(messages, options),
    drafter: (path, call): Promise<Drafter> => model.drafter(path, call),
    open: (switches, options) => wrap(() => model.open(switches, options)),
    close: () => undefined,
  };
}

/** What stands behind a session that was wrapped: a join takes sessions of the engine. */
const inners = new WeakMap<Session, Session>();
/** The session beside a shadowed one. */
const shadows = new WeakMap<Session, Session>();
const behind = (of: WeakMap<Session, Session>, sessions: readonly Session[]): Session[] => sessions.map((session) => of.get(session) ?? session);

/** A session that is `inner` but for `changes`. Forks and joins have them too. */
export function delegate(inner: Session, changes: (inner: Session) => Partial<Session>): Session {
  const plain: Session = {
    get switches() {
      return inner.switches;
    },
    get notes() {
      return inner.notes;
    },
    get batch() {
      return inner.batch;
    },
    get position() {
      return inner.position;
    },
    prefill: (ids, options) => inner.prefill(ids, options),
    decode: (ids, options) => inner.decode(ids, options),
    verify: (ids, options) => inner.verify(ids, options),
    rewind: (kept, call) => inner.rewind(kept, call),
    fork: async (options) => delegate(await inner.fork(options), changes),
    join: async (others, call) => delegate(await inner.join(behind(inners, others), call), changes),
    state: (layer, call) => inner.state(layer, call),
    close: () => inner.close(),
  };
  const changed = Object.defineProperties(plain, Object.getOwnPropertyDescriptors(changes(inner)));
  inners.set(changed, inner);
  return changed;
}

export interface Fault {
  /** Rows that the wrong session keeps where the right one keeps `kept` of `rows`; null: it is not rewound. */
  readonly keeps: (kept: number, rows: number) => number | null;
  /** State that is read from the wrong session. */
  readonly reads: (layer: number, tensor: string) => boolean;
}

/** A model whose sessions read some of their state from a session that was rewound otherwise. */
export const faulty = (fault: Fault): Model => modelWith(async (open) => shadowed(await open(), await open(), fault));

function shadowed(right: Session, wrong: Session, fault: Fault): Session {
  let rows = 0;
  const beside = async (step: Promise<Step>, again: Promise<Step>): Promise<Step> => {
    (await again).close();
    return step;
  };
  const session = delegate(right, () => ({
    prefill: (ids, options) => beside(right.prefill(ids, options), wrong.prefill(ids, { ...options, taps: [] })),
    decode: (ids, options) => beside(right.decode(ids, options), wrong.decode(ids, { ...options, taps: [] })),
    verify: (ids, options) => {
      rows = Array.isArray(ids[0]) ? ids[0].length : ids.length;
      return beside(right.verify(ids, options), wrong.verify(ids, { ...options, taps: [] }));
    },
    rewind: async (kept, call): Promise<Rewound> => {
      const keeps = kept.map((one) => fault.keeps(one, rows));
      if (keeps.every((one) => one !== null)) await wrong.rewind(keeps, call);
      return right.rewind(kept, call);
    },
    fork: async (options) => shadowed(await right.fork(options), await wrong.fork(options), fault),
    join: async (others, call) => shadowed(await right.join(behind(inners, others), call), await wrong.join(behind(shadows, others), call), fault),
    state: async (layer, call) => mixed(await right.state(layer, call), await wrong.state(layer, call), fault),
    close: () => {
      right.close();
      wrong.close();
    },
  }));
  shadows.set(session, wrong);
  return session;
}

function mixed(right: readonly LayerState[], wrong: readonly LayerState[], { reads }: Fault): LayerState[] {
  return right.map(({ layer, kind, tensors }, i): LayerState => {
    const chosen = tensors.map((own, j) => {
      const other = wrong[i]!.tensors[j]!;
      const [kept, dropped] = reads(layer, own.name) ? [other, own] : [own, other];
      dropped.tensor.close();
      return kept;
    });
    return { layer, kind, tensors: chosen };
  });
}
