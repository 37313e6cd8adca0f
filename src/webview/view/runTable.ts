// The runs of a bisect; choosing one shows it below.
import * as l10n from '@vscode/l10n';
import { formatCount } from '../../shared/format';
import type { BisectReport, BisectRun } from '../../shared/report';
import { clamp, share } from '../model/numbers';
import { firstState, logitBytes, otherChoices, placeInWords, sourceInWords, stateInWords } from '../model/words';
import { code, element, filled, filledMuted, muted, whenChanged, type Part } from './dom';
import { verdictBadge } from './icons';
import { bar, table, type Column } from './table';

export interface RunsInput {
  readonly report: BisectReport;
  readonly run: number;
}

export function runTable(choose: (run: number) => void): Part<RunsInput> {
  const node = element('section', { class: 'runs', attributes: { 'aria-label': l10n.t('Runs') } });
  let rows: HTMLTableRowElement[] = [];
  const draw = whenChanged<RunsInput>(
    ({ report }) => [report],
    ({ report }) => {
      const { runs } = report.bisect;
      node.replaceChildren(table({ caption: l10n.t('Runs: choose one to see its heat map'), columns: columns(choose), rows: runs, page: 64 }));
      rows = [...node.querySelectorAll<HTMLTableRowElement>('tbody tr')];
      rows.forEach((row, i) => row.addEventListener('click', () => choose(i)));
    },
  );
  const mark = whenChanged<RunsInput>(({ report, run }) => [report, run], ({ run }) => {
    const buttons = rows.map((row) => row.querySelector('button'));
    const hadFocus = buttons.some((button) => button === document.activeElement);
    buttons.forEach((button, i) => {
      rows[i]?.classList.toggle('chosen', i === run);
      button?.setAttribute('aria-pressed', String(i === run));
      // One stop of the Tab key for all of them.
      button?.setAttribute('tabindex', i === run ? '0' : '-1');
    });
    if (hadFocus) buttons[run]?.focus({ preventScroll: true });
    showRow(rows[run]);
  });
  let shown: RunsInput | null = null;
  node.addEventListener('keydown', (event) => {
    const to = shown && movedBy(event.key, shown);
    if (to === null || !(event.target instanceof HTMLButtonElement)) return;
    event.preventDefault();
    choose(to);
  });
  return {
    node,
    update(input) {
      shown = input;
      draw(input);
      mark(input);
    },
  };
}

/** The run that a key leads to; null for other keys. */
function movedBy(key: string, { report, run }: RunsInput): number | null {
  const last = report.bisect.runs.length - 1;
  const to = { ArrowUp: run - 1, ArrowDown: run + 1, Home: 0, End: last }[key];
  return to === undefined ? null : clamp(to, 0, last);
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
    { title: l10n.t('Width'), heads: true, cell: (run, i) => chooser(run, () => choose(i)) },
    { title: l10n.t('Input'), cell: sourceInWords },
    { title: l10n.t('Verdict'), cell: (run) => verdictBadge(run.verdict.word) },
    { title: l10n.t('Arms part first at'), cell: firstPlace },
    { title: l10n.t('Logit bytes'), hint: l10n.t('Bytes of all logit rows that differ'), number: true, cell: logits },
    { title: l10n.t('Greedy choices'), hint: l10n.t('Positions whose greedy choice differs'), number: true, cell: choices },
    { title: l10n.t('Kernels: chain (A) | block (B)'), cell: kernels },
  ];
}

function chooser(run: BisectRun, choose: () => void): HTMLElement {
  const made = element('button', { class: 'plain', attributes: { 'aria-label': l10n.t('Width {0}, {1}', run.width, sourceInWords(run)) } }, String(run.width));
  made.addEventListener('click', (event) => {
    event.stopPropagation();
    choose();
  });
  return made;
}

function firstPlace(run: BisectRun): Node {
  const title = { attributes: { title: run.verdict.sentence, translate: 'no' } };
  if (run.first) return element('span', title, ...filledMuted(l10n.t('{0}, position {1}'), placeInWords(run, run.first), muted(String(run.first.position))));
  const state = firstState(run);
  return state ? element('span', title, ...filledMuted(l10n.t('{0}, state after the block'), stateInWords(state))) : muted(l10n.t('none'));
}

function kernels({ first }: BisectRun): Node | null {
  if (!first || (first.kernelA === '' && first.kernelB === '')) return null;
  if (first.kernelA === first.kernelB) return element('span', { class: 'muted' }, ...filled(l10n.t('both {0}'), code(first.kernelA)));
  return element('span', {}, code(first.kernelA), ' | ', code(first.kernelB));
}

function logits(run: BisectRun): Node {
  const differing = logitBytes(run);
  const all = run.logits.bytes * run.logits.differingBytes.length;
  return bar(share(differing, all), formatCount(differing), l10n.t('{0} of {1} bytes', formatCount(differing), formatCount(all)));
}

function choices(run: BisectRun): string {
  const other = otherChoices(run);
  return other === 0 ? l10n.t('all agree') : l10n.t('{0} of {1} differ', formatCount(other), formatCount(run.logits.argmaxA.length));
}
