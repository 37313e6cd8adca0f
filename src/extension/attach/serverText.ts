// What an attached server is and can, as a text to read: a row of a quick pick is too short for it. All of it is said by the server, so nothing of it may become markup.
import * as l10n from '@vscode/l10n';
import { serverLine } from '../../shared/account/answers';
import { escaped } from '../../shared/record';
import type { ServerProfile } from '../../shared/serverProfile';

const states = { yes: l10n.t('yes'), no: l10n.t('no'), unknown: l10n.t('not known') } as const;
const mostModels = 50;

export function serverText(profile: ServerProfile): string {
  const { capabilities, notes, models } = profile;
  const shown = models.slice(0, mostModels);
  return [
    `# ${l10n.t('What the server is and can')}`,
    '',
    escaped(serverLine(profile)),
    '',
    l10n.t('| what | can | how it showed |'),
    '|---|---|---|',
    ...capabilities.map(({ name, state, detail }) => `| ${escaped(name)} | ${states[state]} | ${escaped(detail)} |`),
    ...(notes.length === 0 ? [] : ['', ...notes.map((note) => `* ${escaped(note)}`)]),
    '',
    l10n.t('Models: {0}', `${shown.map(escaped).join(', ')}${models.length > shown.length ? ', …' : ''}`),
    '',
  ].join('\n');
}
