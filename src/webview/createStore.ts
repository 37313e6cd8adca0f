// The one way a page keeps its state: actions in, the next state out of a pure function, and a call when it is another.
export interface Store<State, Action> {
  readonly state: () => State;
  readonly dispatch: (action: Action) => void;
}

/** Hears of an action from which no state could be made: the state is the one before. */
export type Stopped<Action> = (error: unknown, action: Action) => void;

/** `reduce` gives the same object when nothing changed. What it throws goes to `stopped`, so that no page goes on to show what was there before under another name. */
export function createStore<State, Action>(start: State, reduce: (state: State, action: Action) => State, changed: (state: State, before: State) => void, stopped: Stopped<Action>): Store<State, Action> {
  let state = start;
  return {
    state: () => state,
    dispatch(action) {
      const before = state;
      try {
        state = reduce(before, action);
      } catch (error) {
        stopped(error, action);
        return;
      }
      if (state !== before) changed(state, before);
    },
  };
}
