// Entry of the accept log view.
import '../texts';
import './acceptLog.css';
import type { FromLogView, ToLogView } from '../../shared/logViewProtocol';
import { vscodeHost } from '../host';
import { openPage } from '../page';
import { startLogApp } from './app';

startLogApp(vscodeHost<FromLogView, ToLogView>(['log', 'answer', 'refused', 'stale', 'show']), openPage());
