// The account of any report.
import type { Report } from '../report';
import { sections, type Account } from './account';
import { answersAccount } from './answers';
import { bisectAccount } from './bisect';
import { diffAccount } from './diff';
import { gateAccount } from './gate';
import { idsAccount } from './ids';
import { parityAccount } from './parity';
import { prefillAccount } from './prefill';
import { replayAccount } from './replay';
import { rewindAccount } from './rewind';
import { switchesAccount } from './switches';
import { widthsAccount } from './widths';

export type { Account, Column, Section, Table } from './account';

function accountOfKind(report: Report): Account {
  switch (report.kind) {
    case 'replay':
      return replayAccount(report);
    case 'rewind':
      return rewindAccount(report);
    case 'prefill':
      return prefillAccount(report);
    case 'gate':
      return gateAccount(report);
    case 'parity':
      return parityAccount(report);
    case 'widths':
      return widthsAccount(report);
    case 'switches':
      return switchesAccount(report);
    case 'bisect':
      return bisectAccount(report);
    case 'diff':
      return diffAccount(report);
    case 'ids':
      return idsAccount(report);
    case 'repeat':
    case 'cache':
    case 'concurrency':
    case 'servers':
    case 'rescore':
      return answersAccount(report);
  }
}

export function accountOf(report: Report): Account {
  const account = accountOfKind(report);
  return { ...account, sections: sections(account.sections) };
}
