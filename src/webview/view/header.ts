// Verdict, sentence, what was run on what, and what to do with the report.
import * as l10n from '@vscode/l10n';
import type { Report } from '../../shared/report';
import { button } from '../controls';
import { experimentInWords } from '../../shared/experimentWords';
import { prefillFollowing } from '../../shared/followUp';
import { recordOf } from '../../shared/record';
import { baseName } from '../../shared/reportFacts';
import { cut, room } from '../model/cut';
import { modelInWords, runFactsInWords, shortFingerprint } from '../model/words';
import type { ReportState } from '../store';
import { element, foreign, whenChanged, type Part } from './dom';
import { verdictBadge } from './icons';
import { runBanner } from './runBanner';

export interface HeaderEvents {
  readonly runAgain: () => void;
  readonly cancelRun: () => void;
  readonly comparePrefills: () => void;
  readonly compare: () => void;
  readonly copy: (text: string) => void;
  readonly openAsText: () => void;
}

export function header(events: HeaderEvents): Part<ReportState> {
  const told = element('div', {});
  const banner = runBanner(events.cancelRun);
  const node = element('header', { class: 'report-header' }, banner.node, told);
  const draw = ({ report, running }: ReportState): void => {
    const actions = element(
      'div',
      { class: 'actions' },
      running === null && report.kind === 'replay' && prefillFollowing(report) !== null && button(l10n.t('Compare the prefills'), events.comparePrefills, 'primary'),
      running === null && button(l10n.t('Run again'), events.runAgain),
      running === null && button(l10n.t('Compare with …'), events.compare),
      button(l10n.t('Copy as Markdown record'), () => events.copy(recordOf(report))),
      button(l10n.t('Open as text'), events.openAsText),
    );
    told.replaceChildren(
      element('div', { class: 'headline' }, verdictBadge(report.verdict.word, true), said(report.verdict.sentence), actions),
      incomplete(report, running !== null),
      facts(report),
    );
  };
  const tell = whenChanged<ReportState>(({ report, running }) => [report, running === null], draw);
  return {
    node,
    update(state) {
      banner.update(state.running);
      tell(state);
    },
  };
}

/** The first sentence is the heading, what follows stands under it. */
function said(sentence: string): HTMLElement {
  const [first = '', ...rest] = cut(sentence, room.sentence).split(/(?<=[.!?]) (?=[A-Z0-9])/);
  const more = [...(first.length > room.heading ? [first] : []), ...rest].join(' ');
  return element('div', { attributes: { dir: 'auto', translate: 'no' } }, element('h1', { attributes: { tabindex: -1 } }, cut(first, room.heading)), more !== '' && element('p', { class: 'headline-more' }, more));
}

/** While the run goes on its banner says so. */
function incomplete({ complete, incompleteReason }: Report, running: boolean): HTMLElement {
  const note = element('p', { class: 'notice', attributes: { role: 'status' } }, element('strong', {}, l10n.t('Incomplete.'), ' '), incompleteReason === '' ? l10n.t('The run ended early.') : foreign(incompleteReason), ' ', l10n.t('What is shown is right, but not all.'));
  note.hidden = complete || running;
  return note;
}

function facts(report: Report): HTMLElement {
  const { model } = report.provenance;
  return element(
    'div',
    { class: 'facts' },
    model && element('p', {}, element('strong', { attributes: { title: model.path, translate: 'no' } }, baseName(model.path)), ' ', foreign(modelInWords(report), 'muted'), ' ', element('code', { attributes: { title: model.fingerprint } }, shortFingerprint(model.fingerprint))),
    element('p', { attributes: { translate: 'no' } }, experimentInWords(report.experiment)),
    element('p', {}, foreign(runFactsInWords(report), 'muted')),
  );
}
