// Entry of the completions panel.
import '../texts';
import './panel.css';
import type { FromPanel, ToPanel } from '../../shared/panelProtocol';
import { vscodeHost } from '../host';
import { openPage } from '../page';
import { startPanel } from './app';

startPanel(vscodeHost<FromPanel, ToPanel>(['server', 'folders', 'options', 'prompt', 'history', 'run', 'tokens']), openPage());
