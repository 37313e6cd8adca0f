// Entry of the page that compares two reports.
import '../texts';
import './compare.css';
import type { FromCompare, ToCompare } from '../../shared/compareProtocol';
import { vscodeHost } from '../host';
import { openPage } from '../page';
import { startCompareApp } from './app';

startCompareApp(vscodeHost<FromCompare, ToCompare>(['compared']), openPage());
