// Bearer tokens of servers in VS Code's secret storage, one for each origin: no setting, no report and no log holds one.
import type * as vscode from 'vscode';
import { serversOf, type ServedExperiment } from '../../shared/experiment';
import { originOf } from '../../shared/serverAddress';

const key = (url: string): string => `moire.token.${originOf(url)}`;

export class TokenStore {
  constructor(
    private readonly secrets: Pick<vscode.SecretStorage, 'get' | 'store' | 'delete'>,
    /** Of the served run of this window, "" for other servers. */
    private readonly own: (url: string) => string,
  ) {}

  /** "" for none. */
  async of(url: string): Promise<string> {
    return this.own(url) || ((await this.secrets.get(key(url))) ?? '');
  }

  async keep(url: string, token: string): Promise<void> {
    if (token !== '' && token === this.own(url)) return;
    await (token === '' ? this.secrets.delete(key(url)) : this.secrets.store(key(url), token));
  }

  /** What travels beside an experiment. */
  async for(experiment: ServedExperiment): Promise<Record<string, string>> {
    const found = await Promise.all(serversOf(experiment).map(async (url): Promise<[string, string]> => [originOf(url), await this.of(url)]));
    return Object.fromEntries(found.filter(([, token]) => token !== ''));
  }
}
