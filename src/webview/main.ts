// Entry of the report view. The page needs nothing but a body, and in its head `<meta property="csp-nonce" content="N">` for the kit of controls.
import './report.css';
import type { FromView, ToView } from '../shared/viewProtocol';
import { startApp } from './app';
import { registerControls } from './controls';
import { vscodeHost } from './host';

registerControls();
const root = document.createElement('div');
root.id = 'root';
document.body.append(root);
startApp(vscodeHost<FromView, ToView>(['report', 'problem']), root);
