// Both reports side by side: file, verdict, sentence, experiment, and what came of it.
import * as l10n from '@vscode/l10n';
import type { CompareSide } from '../../../shared/compareProtocol';
import { experimentInWords } from '../../../shared/experimentWords';
import type { Report } from '../../../shared/report';
import { titleOf } from '../../../shared/reportFacts';
import type { ShownState } from '../../compare/store';
import { button } from '../../controls';
import { outcomeInWords } from '../../model/compare/words';
import { cut, room } from '../../model/cut';
import { runFactsInWords } from '../../model/words';
import { element, foreign, whenChanged, type Part } from '../dom';
import { verdictBadge } from '../icons';

export interface CompareHeaderEvents {
  readonly open: (side: CompareSide) => void;
  readonly swap: () => void;
  readonly copyRecord: () => void;
}

const names: Readonly<Record<CompareSide, string>> = { a: 'A', b: 'B' };

function side(which: CompareSide, report: Report, fileName: string, open: () => void): HTMLElement {
  const file = element('button', { class: 'plain file-link', attributes: { title: l10n.t('Open this report by itself'), dir: 'auto' } }, foreign(fileName));
  file.addEventListener('click', open);
  return element(
    'section',
    { class: 'compared-side', attributes: { 'aria-label': l10n.t('Report {0}', names[which]) } },
    element('h2', {}, element('span', { class: 'side-name' }, names[which]), file),
    element('p', { class: 'side-verdict' }, verdictBadge(report.verdict.word), element('span', { attributes: { dir: 'auto', translate: 'no' } }, cut(report.verdict.sentence, room.sentence))),
    !report.complete && element('p', { class: 'notice' }, element('strong', {}, l10n.t('Incomplete.'), ' '), foreign(report.incompleteReason)),
    element('p', { attributes: { translate: 'no' } }, titleOf(report.experiment), foreign(` · ${experimentInWords(report.experiment)}`, 'muted')),
    element('p', {}, foreign(runFactsInWords(report), 'muted')),
  );
}

export function compareHeader(events: CompareHeaderEvents): Part<ShownState> {
  const node = element('header', { class: 'compare-header' });
  const draw = whenChanged<ShownState>(
    ({ message }) => [message],
    ({ message, comparison: compared }) => {
      const actions = element('div', { class: 'actions' }, button(l10n.t('Swap A and B'), events.swap), button(l10n.t('Copy as Markdown record'), events.copyRecord));
      node.replaceChildren(
        element('div', { class: 'headline compare-headline' }, element('h1', { attributes: { role: 'status' } }, outcomeInWords(compared)), actions),
        element('div', { class: 'sides' }, side('a', compared.a, message.a.fileName, () => events.open('a')), side('b', compared.b, message.b.fileName, () => events.open('b'))),
      );
    },
  );
  return { node, update: draw };
}
