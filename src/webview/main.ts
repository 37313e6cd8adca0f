// Entry of the report view.
import './texts';
import './report.css';
import type { ExportOrder, FromView, ToView } from '../shared/viewProtocol';
import { startApp } from './app';
import { vscodeHost } from './host';
import { openPage } from './page';

startApp(vscodeHost<FromView, ToView | ExportOrder>(['report', 'running', 'progress', 'problem', 'export', 'canLoad', 'loading', 'elements', 'notLoaded']), openPage());
