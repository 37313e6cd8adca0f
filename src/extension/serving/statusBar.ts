// The status bar: what serves, how quick it is, and one click to all that can be done with it. It stands there from the first start of a window on, and where ghost text is on.
import * as vscode from 'vscode';
import type { PanelRates, PanelServer } from '../../shared/panelProtocol';
import { none } from './serving';
import { formatCount } from '../../shared/format';

const icons: Readonly<Record<PanelServer['state'], string>> = { none: '$(circle-slash)', starting: '$(loading~spin)', ready: '$(pulse)', away: '$(sync~spin)', failed: '$(error)' };

export class StatusBar implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private server: PanelServer | null = null;
  private rates: PanelRates | null = null;
  private inline = false;

  constructor() {
    this.item = vscode.window.createStatusBarItem('moire.served', vscode.StatusBarAlignment.Right, 100);
    this.item.name = 'Moire served run';
    this.item.command = 'moire.servedRun';
  }

  show(server: PanelServer): void {
    this.server = server;
    if (server.state !== 'ready') this.rates = null;
    this.draw();
  }

  /** The last figures stay until there are others. */
  showRates(rates: PanelRates): void {
    this.rates = rates;
    this.draw();
  }

  showInline(on: boolean): void {
    this.inline = on;
    this.draw();
  }

  get text(): string {
    return this.item.text;
  }

  dispose(): void {
    this.item.dispose();
  }

  private draw(): void {
    if (this.server === null && !this.inline) return this.item.hide();
    const server = this.server ?? none;
    const { state, model, problem } = server;
    this.item.text = [`${icons[state]} ${model === '' ? 'Moire' : model}`, ...this.figures(), ...(this.inline ? ['$(sparkle)'] : [])].join('  ');
    this.item.tooltip = [...tooltip(server), this.inline ? 'Ghost text is on for this language.' : 'Ghost text is off for this language.', 'Click for actions.'].join('\n');
    this.item.accessibilityInformation = { label: `Moire: ${state}${model === '' ? '' : `, ${model}`}${problem === '' ? '' : `, ${problem}`}` };
    this.item.backgroundColor = state === 'failed' ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
    this.item.show();
  }

  private figures(): string[] {
    const { rates } = this;
    if (rates === null) return [];
    const speed = rates.tokensPerSecond === null ? [] : [`${formatCount(Math.round(rates.tokensPerSecond))} tok/s`];
    return rates.drafted === 0 ? speed : [...speed, `${Math.round((100 * rates.accepted) / rates.drafted)}% accepted`];
  }
}

function tooltip({ state, kind, model, url, drafter, speculating, speculation, problem }: PanelServer): string[] {
  if (state === 'none') return ['No model is served.'];
  if (state === 'starting') return [`${model} is loaded and served.`];
  const served = url === '' ? [] : [`${model} ${kind === 'started' ? 'is served' : 'answers'} at ${url}.`];
  const how = drafter === '' ? [] : [speculating === null ? `The exactness gate examines ${drafter}.` : `Speculation with ${drafter}: ${speculating ? 'on' : 'OFF'}. ${speculation}`];
  return [...served, ...how, ...(problem === '' ? [] : [problem])];
}
