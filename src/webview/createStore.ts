// The one way a page keeps its state: actions in, the next state out of a pure function, and a call when it is another.
export interface Store<State, Action> {
  readonly state: () => State;
  readonly dispatch: (action: Action) => void;
}

/** `reduce` gives the same object when nothing changed. */
export function createStore<State, Action>(start: State, reduce: (state: State, action: Action) => State, changed: (state: State, before: State) => void): Store<State, Action> {
  let state = start;
  return {
    state: () => state,
    dispatch(action) {
      const before = state;
      state = reduce(before, action);
      if (state !== before) changed(state, before);
    },
  };
}
