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
    this.item.name = vscode.l10n.t('Moire served run');
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
    this.item.tooltip = [...tooltip(server), this.inline ? vscode.l10n.t('Ghost text is on for this language.') : vscode.l10n.t('Ghost text is off for this language.'), vscode.l10n.t('Click for actions.')].join('\n');
    this.item.accessibilityInformation = { label: `Moire: ${[state, model, problem].filter((text) => text !== '').join(', ')}` };
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
  if (state === 'none') return [vscode.l10n.t('No model is served.')];
  if (state === 'starting') return [vscode.l10n.t('{0} is loaded and served.', model)];
  const served = url === '' ? [] : [kind === 'started' ? vscode.l10n.t('{0} is served at {1}.', model, url) : vscode.l10n.t('{0} answers at {1}.', model, url)];
  const how = drafter === '' ? [] : [speculating === null ? vscode.l10n.t('The exactness gate examines {0}.', drafter) : speculating ? vscode.l10n.t('Speculation with {0}: on. {1}', drafter, speculation) : vscode.l10n.t('Speculation with {0}: OFF. {1}', drafter, speculation)];
  return [...served, ...how, ...(problem === '' ? [] : [problem])];
}
