// Entry of the accept log view. Like the report view, the page needs nothing but a body and the nonce for the kit of controls.
import './acceptLog.css';
import type { FromLogView, ToLogView } from '../../shared/logViewProtocol';
import { registerControls } from '../controls';
import { vscodeHost } from '../host';
import { startLogApp } from './app';

registerControls();
const root = document.createElement('div');
root.id = 'root';
document.body.append(root);
startLogApp(vscodeHost<FromLogView, ToLogView>(['log', 'answer', 'refused', 'stale', 'show']), root);
