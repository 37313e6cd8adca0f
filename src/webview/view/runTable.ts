// The runs of a bisect; choosing one shows it below.
import { formatCount } from '../../shared/format';
import type { BisectReport, BisectRun } from '../../shared/report';
import { share } from '../model/numbers';
import { firstState, logitBytes, otherChoices, placeInWords, sourceInWords, stateInWords } from '../model/words';
import { code, element, muted, whenChanged, type Part } from './dom';
import { verdictBadge } from './icons';
import { bar, table, type Column } from './table';

export interface RunsInput {
  readonly report: BisectReport;
  readonly run: number;
}

export function runTable(choose: (run: number) => void): Part<RunsInput> {
  const node = element('section', { class: 'runs', attributes: { 'aria-label': 'Runs' } });
  let rows: HTMLTableRowElement[] = [];
  const draw = whenChanged<RunsInput>(
    ({ report }) => [report],
    ({ report }) => {
      const { runs } = report.bisect;
      node.replaceChildren(table({ caption: 'Runs: choose one to see its heat map', columns: columns(choose), rows: runs, page: 64 }));
      rows = [...node.querySelectorAll<HTMLTableRowElement>('tbody tr')];
      rows.forEach((row, i) => row.addEventListener('click', () => choose(i)));
    },
  );
  const mark = whenChanged<RunsInput>(({ report, run }) => [report, run], ({ run }) => {
    rows.forEach((row, i) => {
      row.classList.toggle('chosen', i === run);
      row.querySelector('button')?.setAttribute('aria-pressed', String(i === run));
    });
    showRow(rows[run]);
  });
  return {
    node,
    update(input) {
      draw(input);
      mark(input);
    },
  };
}

/** Scrolls the table, never the page, and by whole rows below the heading that stays. */
function showRow(row: HTMLElement | undefined): void {
  const scroll = row?.closest('.table-wrap');
  if (!row || !scroll) return;
  const height = row.offsetHeight;
  const head = scroll.querySelector('thead')?.offsetHeight ?? 0;
  const hidden = row.offsetTop - head < scroll.scrollTop || row.offsetTop + height > scroll.scrollTop + scroll.clientHeight;
  const above = Math.floor((scroll.clientHeight - head) / height / 2);
  if (hidden) scroll.scrollTop = row.offsetTop - head - above * height;
}

function columns(choose: (run: number) => void): readonly Column<BisectRun>[] {
  return [
    { title: 'Width', heads: true, cell: (run, i) => chooser(String(run.width), () => choose(i)) },
    { title: 'Input', cell: sourceInWords },
    { title: 'Verdict', cell: (run) => verdictBadge(run.verdict.word) },
    { title: 'Arms part first at', cell: firstPlace },
    { title: 'Logit bytes', hint: 'Bytes of all logit rows that differ', number: true, cell: logits },
    { title: 'Greedy choices', hint: 'Positions whose greedy choice differs', number: true, cell: choices },
    { title: 'Kernels: chain (A) | block (B)', cell: kernels },
  ];
}

function chooser(label: string, choose: () => void): HTMLElement {
  const made = element('button', { class: 'plain' }, label);
  made.addEventListener('click', (event) => {
    event.stopPropagation();
    choose();
  });
  return made;
}

function firstPlace(run: BisectRun): Node {
  const title = { attributes: { title: run.verdict.sentence } };
  if (run.first) return element('span', title, placeInWords(run, run.first), muted(`, position ${run.first.position}`));
  const state = firstState(run);
  return state ? element('span', title, stateInWords(state), muted(', state after the block')) : muted('none');
}

function kernels({ first }: BisectRun): Node | null {
  if (!first || (first.kernelA === '' && first.kernelB === '')) return null;
  if (first.kernelA === first.kernelB) return element('span', { class: 'muted' }, 'both ', code(first.kernelA));
  return element('span', {}, code(first.kernelA), ' | ', code(first.kernelB));
}

function logits(run: BisectRun): Node {
  const differing = logitBytes(run);
  const all = run.logits.bytes * run.logits.differingBytes.length;
  return bar(share(differing, all), formatCount(differing), `${formatCount(differing)} of ${formatCount(all)} bytes`);
}

function choices(run: BisectRun): string {
  const other = otherChoices(run);
  return other === 0 ? 'all agree' : `${formatCount(other)} of ${formatCount(run.logits.argmaxA.length)} differ`;
}
