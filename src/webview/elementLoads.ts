// What the engine computed again for this page: asked for by tap, shown while the report stays. Not part of the state that is kept: it can be large, and is there for the asking.
import * as l10n from '@vscode/l10n';
import type { ElementsAnswer } from '../shared/elementsProtocol';
import type { RunProgress } from '../shared/engineProtocol';
import { sentenceOf } from '../shared/problem';
import type { FromView, ToView } from '../shared/viewProtocol';

export type ElementLoad =
  | { readonly state: 'none' }
  | { readonly state: 'loading'; readonly progress: RunProgress }
  | { readonly state: 'failed'; readonly sentence: string }
  | { readonly state: 'loaded'; readonly answer: ElementsAnswer };

const none: ElementLoad = { state: 'none' };
/** Tensors that stay loaded; one may have 8 MiB. */
const kept = 4;

export class ElementLoads {
  /** Whether the host can compute. */
  can = false;
  private readonly loads = new Map<string, ElementLoad>();
  private open: { readonly id: number; readonly key: string } | null = null;
  private last = 0;
  private changed: () => void = () => undefined;

  constructor(private readonly post: (message: FromView) => void) {}

  /** Hears of every change; one listener, the view that is shown. */
  listen(changed: () => void): void {
    this.changed = changed;
  }

  of(run: number, tap: number): ElementLoad {
    return this.loads.get(keyOf(run, tap)) ?? none;
  }

  /** Asks for a tap's elements, `around` among them; what was asked for before is given up. */
  load(run: number, tap: number, around: number): void {
    this.giveUp();
    const key = keyOf(run, tap);
    this.open = { id: (this.last += 1), key };
    this.put(key, { state: 'loading', progress: { text: l10n.t('asking the engine'), done: 0, total: 0 } });
    this.post({ type: 'loadElements', id: this.last, run, tap, around });
  }

  cancel(): void {
    this.giveUp();
    this.changed();
  }

  /** Another report is shown. */
  reset(): void {
    this.giveUp();
    this.loads.clear();
    this.can = false;
  }

  take(message: Extract<ToView, { type: 'canLoad' | 'loading' | 'elements' | 'notLoaded' }>): void {
    if (message.type === 'canLoad') {
      this.can = message.can;
      this.changed();
      return;
    }
    if (message.id !== this.open?.id) return;
    const { key } = this.open;
    if (message.type !== 'loading') this.open = null;
    this.put(key, loadOf(message));
  }

  private giveUp(): void {
    if (this.open === null) return;
    this.post({ type: 'cancelElements', id: this.open.id });
    this.loads.delete(this.open.key);
    this.open = null;
  }

  private put(key: string, load: ElementLoad): void {
    this.loads.delete(key);
    this.loads.set(key, load);
    for (const oldest of this.loads.keys()) if (this.loads.size > kept) this.loads.delete(oldest);
    this.changed();
  }
}

const keyOf = (run: number, tap: number): string => `${run} ${tap}`;

function loadOf(message: Exclude<Parameters<ElementLoads['take']>[0], { type: 'canLoad' }>): ElementLoad {
  switch (message.type) {
    case 'loading':
      return { state: 'loading', progress: message.progress };
    case 'elements':
      return { state: 'loaded', answer: message.answer };
    case 'notLoaded':
      return { state: 'failed', sentence: sentenceOf(message.problem) };
  }
}
