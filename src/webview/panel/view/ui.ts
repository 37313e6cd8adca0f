// What the parts of the panel do: ask the host, or change the page's own state.
import type { FromPanel } from '../../../shared/panelProtocol';
import type { Action } from '../store';

export interface Ui {
  readonly post: (message: FromPanel) => void;
  readonly dispatch: (action: Action) => void;
  readonly fold: (name: string, open: boolean) => void;
}
