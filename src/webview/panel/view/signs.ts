// States as shapes, since colour alone says nothing to many.
import type { PanelRun, PanelServer } from '../../../shared/panelProtocol';
import { svg } from '../../view/dom';

type Shown = PanelServer['state'] | PanelRun['state'];

/** In a box of 12 x 12; what is alive is filled, what waits is open. */
const shapes: Readonly<Record<Shown, string>> = {
  none: 'M6 2a4 4 0 1 1 0 8a4 4 0 1 1 0-8z',
  starting: 'M6 1.5a4.5 4.5 0 1 1-4.5 4.5',
  ready: 'M6 1.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9z',
  away: 'M6 1.5L11 10.5H1z',
  failed: 'M2.5 2.5l7 7M9.5 2.5l-7 7',
  running: 'M6 1.5a4.5 4.5 0 1 1-4.5 4.5',
  done: 'M2 6.5l3 3l5-7',
  stopped: 'M2.5 2.5h7v7h-7z',
};

export const stateSign = (state: Shown): SVGElement =>
  svg('svg', { class: `sign sign-${state}`, attributes: { viewBox: '0 0 12 12', width: 12, height: 12, 'aria-hidden': 'true' } }, svg('path', { attributes: { d: shapes[state] } }));
