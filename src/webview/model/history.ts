// Steps back and forward through where one has looked. Pure: the moment of a step comes from outside.
export interface History<Place> {
  /** Places left behind, the last of them last. */
  readonly past: readonly Place[];
  /** Places gone back from, the nearest of them last. */
  readonly future: readonly Place[];
  /** When the last step was made, if steps of its kind run together; null if not. Milliseconds. */
  readonly running: number | null;
}

/** The oldest step beyond these is forgotten. */
export const stepsKept = 200;
/** Pans and zooms that follow each other by less than this are one step, in milliseconds. */
export const together = 600;

export const noHistory: History<never> = { past: [], future: [], running: null };

/** A step away from `left`. `runs`: one that goes on with the one before when that was of the same kind and just now. */
export function stepped<Place>({ past, running }: History<Place>, left: Place, at: number, runs: boolean): History<Place> {
  const goesOn = runs && running !== null && at - running < together;
  return { past: goesOn ? past : [...past, left].slice(-stepsKept), future: [], running: runs ? at : null };
}

export interface Turned<Place> {
  readonly history: History<Place>;
  readonly place: Place;
}

/** One step back from `here`; null where there is none. */
export function wentBack<Place>({ past, future }: History<Place>, here: Place): Turned<Place> | null {
  const place = past.at(-1);
  return place === undefined ? null : { place, history: { past: past.slice(0, -1), future: [...future, here], running: null } };
}

/** The step that was gone back last, again; null where there is none. */
export function wentForward<Place>({ past, future }: History<Place>, here: Place): Turned<Place> | null {
  const place = future.at(-1);
  return place === undefined ? null : { place, history: { past: [...past, here], future: future.slice(0, -1), running: null } };
}
