// Entry of the report view.
import './report.css';
import type { FromView, ToView } from '../shared/viewProtocol';
import { startApp } from './app';
import { vscodeHost } from './host';
import { openPage } from './page';

startApp(vscodeHost<FromView, ToView>(['report', 'running', 'progress', 'problem', 'canLoad', 'loading', 'elements', 'notLoaded']), openPage());
