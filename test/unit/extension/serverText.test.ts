// What a server says of itself becomes a text, and nothing of it becomes markup.
import { expect, it } from 'vitest';
import { serverText } from '../../../src/extension/attach/serverText';
import type { ServerProfile } from '../../../src/shared/serverProfile';
import { hostile } from '../../view/poison';

const profile: ServerProfile = {
  url: 'http://127.0.0.1:8080',
  engine: 'llama-server',
  version: 'b1',
  evidence: 'its headers',
  model: 'a|b',
  models: ['a|b', `${hostile}\n# Title`],
  context: 4096,
  capabilities: [{ name: 'logprobs', state: 'yes', detail: `| x |\n| ${hostile}` }],
  notes: ['[a link](http://elsewhere)'],
};

it('keeps its form whatever the server says', () => {
  const lines = serverText(profile).split('\n');
  expect(lines.filter((line) => line.startsWith('#'))).toEqual(['# What the server is and can']);
  const rows = lines.filter((line) => line.startsWith('|'));
  // Three cells a row: a bar that is said is escaped.
  expect(rows.map((row) => row.match(/(?<!\\)\|/g)!.length)).toEqual([4, 4, 4]);
  expect(serverText(profile)).not.toMatch(/<|\]\(/);
  expect(lines.join('\n')).toContain('model a\\|b, context 4,096');
});
