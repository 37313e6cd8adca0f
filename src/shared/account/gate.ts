// The account of an exactness gate.
import { formatCount } from '../format';
import type { ReportOf } from '../report';
import type { GateAttempt, GateResult, GateWidth } from '../results/gate';
import { column, section, table, type Account, type Section } from './account';

const decisions: Readonly<Record<GateWidth['decision'], string>> = { engage: 'engage', decline: 'decline', override: 'OVERRIDDEN' };

function checks(title: string, { checks: all }: GateAttempt, batch: number): Section {
  const rows = all.map(({ name, rows: compared, differingRows, first, stateBytes }) => [
    name,
    `${formatCount(differingRows)} of ${formatCount(compared)}`,
    first === null ? '-' : `round ${formatCount(first.round)}, row ${first.row}${batch === 1 ? '' : `, batch row ${first.batchRow}`}`,
    first === null ? '-' : `${formatCount(first.differingBytes)} of ${formatCount(first.totalBytes)}`,
    formatCount(stateBytes),
  ]);
  return section(title, [], [table([column.text('check'), column.number('rows that differ'), column.text('first'), column.number('logit bytes'), column.number('state bytes')], rows)], true);
}

/** What the numbers alone do not say. */
function notes({ batch, widths }: GateResult): string[] {
  const fewer = widths.filter(({ asked, used }) => asked !== used).map(({ asked, used }) => `Of width ${asked} the drafter fills ${used} rows.`);
  return batch === 1 ? fewer : [...fewer, `${batch} batch rows: a block of width ${widths[0]?.used ?? 0} has ${batch * (widths[0]?.used ?? 0)} rows, a single step ${batch}; where kernels are chosen by rows, these count.`];
}

export function gateAccount({ gate }: ReportOf<'gate'>): Account {
  const rows = gate.widths.map(({ asked, used, decision, attempt, retry, remembered }) => [String(asked), String(used), decisions[decision], attempt.exactness, retry === null ? '-' : retry.exactness, remembered ? 'remembered' : 'measured']);
  const columns = [column.number('asked'), column.number('used'), column.text('decision'), column.text('exactness'), column.text('exact kernels'), column.text('how')];
  return {
    question: 'Is a verify block of each width the same as single steps, byte for byte, so that a burst may be served?',
    sections: [
      section('Widths', notes(gate), [table(columns, rows)]),
      section('Reasons', gate.widths.map(({ used, reason }) => `Width ${used}: ${reason}.`)),
      section('Memo', [`A verdict is remembered for ${gate.memoKey.join('; ')}.`], [], true),
      ...gate.widths.map(({ used, attempt }) => checks(`Checks · width ${used}`, attempt, gate.batch)),
      ...gate.widths.flatMap(({ used, retry }) => (retry === null ? [] : [checks(`Checks with the exact kernels · width ${used}`, retry, gate.batch)])),
    ],
  };
}
