// Ties host and parts of the accept log view together: states in, questions out, and which request is looked at.
import * as l10n from '@vscode/l10n';
import type { LogState, RequestDetail, Slot } from '../../shared/logReaderProtocol';
import type { FromLogView, ToLogView } from '../../shared/logViewProtocol';
import type { Host } from '../host';
import { errorText, onFailure, reasonOf } from '../page';
import { loadingScreen, problemScreen } from '../view/screens';
import { element, filled, foreign } from '../view/dom';
import { compareView, type Compared } from './compareView';
import type { LogEvents } from './events';
import { logHeader } from './logHeader';
import { logSections } from './logSections';
import { Questions, Refused } from './questions';
import { requestList } from './requestList';
import { requestView, type RequestView } from './requestView';
import { TimelinePanel } from './timelinePanel';

export type LogHost = Host<FromLogView, ToLogView>;

export function startLogApp(host: LogHost, root: HTMLElement): void {
  new LogApp(host, root).start();
}

interface Saved {
  readonly source: string;
  readonly a: number;
  readonly b: number;
}

class LogApp {
  private readonly questions: Questions;
  private readonly events: LogEvents;
  private readonly header;
  private readonly lists;
  private readonly sections;
  private readonly timeline;
  private readonly detail = element('div', { class: 'log-detail' });
  private readonly left = element('div', { class: 'log-left' });
  private readonly main = element('div', { class: 'log-main' }, this.left, this.detail);
  private states: Record<Slot, LogState | undefined> = { a: undefined, b: undefined };
  private chosen: Record<Slot, number> = { a: 0, b: 0 };
  /** Whether it was chosen by somebody. */
  private settled: Record<Slot, boolean> = { a: false, b: false };
  /** A request whose rounds are not read yet. */
  private wanted: number | null = null;
  private stale = false;
  private shown: { readonly key: string; readonly view: RequestView | null } = { key: '', view: null };
  private looking = false;
  private lookAgain = false;
  private open = false;

  constructor(
    private readonly host: LogHost,
    private readonly root: HTMLElement,
  ) {
    this.questions = new Questions((message) => host.post(message));
    this.events = {
      goToLine: (slot, line) => host.post({ type: 'goToLine', slot, line }),
      probe: (kind, request) => host.post({ type: 'probe', kind, request }),
      compare: () => host.post({ type: 'compare' }),
      endCompare: () => host.post({ type: 'endCompare' }),
      exportAs: (format) => host.post({ type: 'export', format }),
      copy: (text) => host.post({ type: 'copy', text }),
      pictureAs: (file) => host.post({ type: 'picture', ...file }),
      readAgain: () => host.post({ type: 'readAgain' }),
      openAsText: () => host.post({ type: 'openAsText' }),
      choose: (slot, request) => this.choose(slot, request),
      failed: (error) => this.failed(error),
    };
    this.header = logHeader(this.events);
    this.lists = { a: requestList('a', this.questions, this.events), b: requestList('b', this.questions, this.events) };
    this.sections = logSections(this.questions, this.events);
    this.timeline = new TimelinePanel(this.questions, this.events);
  }

  start(): void {
    this.root.replaceChildren(loadingScreen(l10n.t('Opening the log …')));
    onFailure((message) => this.broken(message));
    this.host.listen((message) => this.take(message));
    this.host.post({ type: 'ready' });
  }

  /** What a message brings that cannot be drawn takes the place of what was there before. */
  private take(message: ToLogView): void {
    try {
      this.received(message);
    } catch (error) {
      this.broken(errorText(error));
      const { openAsText, readAgain } = this.events;
      const problem = { fileName: this.states.a?.source ?? '', title: l10n.t('This log cannot be drawn.'), detail: reasonOf(error), action: l10n.t('Open it as text.') };
      this.open = false;
      this.root.replaceChildren(problemScreen(problem, { openAsText, runAgain: readAgain }));
    }
  }

  private received(message: ToLogView): void {
    switch (message.type) {
      case 'answer':
      case 'refused':
        this.questions.take(message);
        return;
      case 'log':
        this.logChanged(message.slot, message.state);
        return;
      case 'stale':
        this.stale = message.stale;
        this.update();
        return;
      case 'show':
        this.wanted = message.request;
        this.showWanted();
        return;
    }
  }

  private logChanged(slot: Slot, state: LogState | null): void {
    const first = slot === 'a' && this.states.a === undefined && state !== null;
    this.states[slot] = state ?? undefined;
    if (first) this.restore(state);
    if (slot === 'b' && state?.phase === 'reading' && state.bytesRead === 0) this.settled.b = false;
    if (state !== null) this.propose(state);
    this.showWanted();
    this.update();
  }

  private restore({ source }: LogState): void {
    const saved = this.host.saved();
    if (isSaved(saved) && saved.source === source) {
      this.chosen = { a: saved.a, b: saved.b };
      this.settled = { a: true, b: true };
    }
    this.host.post({ type: 'selected', request: this.chosen.a });
  }

  private propose({ slot, first }: LogState): void {
    if (this.settled[slot] || this.chosen[slot] === first) return;
    this.chosen[slot] = first;
    if (slot === 'a') this.host.post({ type: 'selected', request: first });
  }

  private showWanted(): void {
    if (this.wanted === null || this.wanted >= (this.states.a?.counts.requests ?? 0)) return;
    const request = this.wanted;
    this.wanted = null;
    this.choose('a', request);
  }

  private choose(slot: Slot, request: number): void {
    this.settled[slot] = true;
    if (this.chosen[slot] === request) return;
    this.chosen[slot] = request;
    // The same place of the other log is the first guess of what belongs beside it.
    if (slot === 'a' && request < (this.states.b?.counts.requests ?? 0)) [this.chosen.b, this.settled.b] = [request, true];
    this.host.save({ source: this.states.a?.source ?? '', ...this.chosen } satisfies Saved);
    if (slot === 'a') this.host.post({ type: 'selected', request });
    this.update();
  }

  private update(): void {
    const { a, b } = this.states;
    if (a === undefined) return;
    if (!this.open) this.root.replaceChildren(element('main', { class: 'report accept-log' }, this.header.node, this.main, this.sections.node));
    this.open = true;
    const last = Math.max(0, a.counts.requests - 1);
    if (a.phase !== 'reading') this.chosen.a = Math.min(this.chosen.a, last);
    this.header.update({ state: a, other: b ?? null, stale: this.stale });
    this.lists.a.update({ state: a, chosen: this.chosen.a });
    if (b !== undefined) this.lists.b.update({ state: b, chosen: this.chosen.b });
    const lists = [this.lists.a.node, ...(b === undefined ? [] : [this.lists.b.node])];
    if (lists.length !== this.left.childElementCount) this.left.replaceChildren(...lists);
    this.main.hidden = a.counts.requests === 0;
    this.sections.update(a);
    this.look();
  }

  /** Asks for what is shown beside the list. Never more than one question at a time: a key that is held down asks for many requests. */
  private look(): void {
    if (this.looking) {
      this.lookAgain = true;
      return;
    }
    this.looking = true;
    this.lookAgain = false;
    this.lookNow()
      .catch((error: unknown) => this.notShown(error))
      .finally(() => {
        this.looking = false;
        if (this.lookAgain) this.look();
      });
  }

  private async lookNow(): Promise<void> {
    const { a, b } = this.states;
    if (a === undefined || this.chosen.a >= a.counts.requests) return;
    const detail = await this.questions.ask({ ask: 'request', slot: 'a', request: this.chosen.a });
    if (b === undefined || b.counts.requests === 0) this.showRequest(detail, b);
    else await this.showComparison(a, b, detail);
  }

  private showRequest(detail: RequestDetail, b: LogState | undefined): void {
    const key = `${detail.ordinal} ${detail.shown === null || detail.shown === 0 ? 'bare' : 'rounds'}`;
    if (this.shown.key === key) this.shown.view?.grow(detail);
    else {
      const view = requestView(detail, this.questions, this.events, this.timeline);
      this.shown = { key, view };
      this.detail.replaceChildren(...(b === undefined ? [] : [besideNothing(b)]), view.node);
    }
  }

  private async showComparison(a: LogState, b: LogState, detail: RequestDetail): Promise<void> {
    const request = Math.min(this.chosen.b, b.counts.requests - 1);
    const other = await this.questions.ask({ ask: 'request', slot: 'b', request });
    const comparison = await this.questions.ask({ ask: 'compare', a: detail.ordinal, b: request });
    const compared: Compared = { comparison, a: { name: a.source, request: detail.ordinal, shown: detail.shown ?? 0 }, b: { name: b.source, request, shown: other.shown ?? 0 } };
    const key = JSON.stringify(compared);
    if (this.shown.key === key) return;
    this.shown = { key, view: null };
    this.detail.replaceChildren(compareView(compared, { a: detail, b: other }, this.questions, this.events, this.timeline));
  }

  /** A request that is chosen and cannot be shown leaves none of the one before it. */
  private notShown(error: unknown): void {
    if (!(error instanceof Refused)) {
      this.broken(errorText(error));
      this.sayInstead(element('p', { class: 'notice', attributes: { role: 'alert' } }, ...filled(l10n.t('This request cannot be drawn: {0}'), foreign(reasonOf(error)))));
      return;
    }
    this.failed(error);
  }

  private failed(error: unknown): void {
    if (error instanceof Refused) this.sayInstead(element('p', { class: 'notice', attributes: { role: 'alert', translate: 'no' } }, error.message));
    else this.broken(errorText(error));
  }

  private sayInstead(notice: HTMLElement): void {
    this.shown = { key: '', view: null };
    this.detail.replaceChildren(notice);
  }

  private broken(message: string): void {
    this.host.post({ type: 'failed', message: message.slice(0, 20_000) });
  }
}

function besideNothing({ source, phase, problem }: LogState): HTMLElement {
  const name = element('strong', { attributes: { translate: 'no' } }, source);
  const words = phase === 'reading' ? filled(l10n.t('{0} is being read.'), name) : problem === null ? filled(l10n.t('{0} holds no requests to compare with.'), name) : filled(l10n.t('{0} holds no requests to compare with: {1}.', '{0}', problem.title), name);
  return element('p', { class: 'notice', attributes: { role: 'status', dir: 'auto' } }, ...words);
}

function isSaved(value: unknown): value is Saved {
  if (typeof value !== 'object' || value === null) return false;
  const { source, a, b } = value as Partial<Record<keyof Saved, unknown>>;
  return typeof source === 'string' && [a, b].every((place) => Number.isInteger(place) && (place as number) >= 0);
}
