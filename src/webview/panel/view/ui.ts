// What the parts of the panel do: ask the host, or change the page's own state.
import type { FromPanel } from '../../../shared/panelProtocol';
import type { Action, State } from '../store';

export interface Ui {
  /** As it is now: what is drawn may be a frame older, and who types and runs at once means the newest. */
  readonly state: () => State;
  readonly post: (message: FromPanel) => void;
  readonly dispatch: (action: Action) => void;
  readonly fold: (name: string, open: boolean) => void;
}
