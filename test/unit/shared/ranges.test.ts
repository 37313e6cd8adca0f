// A limit or default is said once: what schema and presets hold is what settings, help and palette say.
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import packageJson from '../../../package.json';
import { bisectCommand } from '../../../src/cli/bisect';
import { gateCommand } from '../../../src/cli/gate';
import { parityCommand } from '../../../src/cli/parity';
import { replayCommand } from '../../../src/cli/replay';
import { rewindCommand } from '../../../src/cli/rewind';
import { switchesCommand } from '../../../src/cli/switchMatrix';
import { widthsCommand } from '../../../src/cli/widths';
import { parseInteger } from '../../../src/extension/experimentText';
import { BisectExperiment, GateExperiment, ranges, rangeSentence, rangeText } from '../../../src/shared/experiment';
import { matrixBase, presets, presetSettings } from '../../../src/shared/presets';

const settings = packageJson.contributes.configuration.properties;
const numbers = [['draws', '--draws <n>'], ['promptLength', '--prompt-length <n>'], ['walk', '--walk <n>']] as const;

describe.each(numbers)('%s', (name, flag) => {
  const { min, max } = ranges[name];
  const gate = { kind: 'gate', model: '/m', drafter: null, widths: [2], draws: 1, promptLength: 1, walk: 0, batch: 1, switches: {}, override: false };
  const bisect = (value: number): unknown => ({ kind: 'bisect', model: '/m', widths: [2], walk: 0, switches: {}, input: { type: 'draws', draws: 1, promptLength: 1, ...(name === 'walk' ? {} : { [name]: value }) }, ...(name === 'walk' ? { walk: value } : {}) });

  it('has the limits of its setting', () => {
    expect(settings[`moire.bisect.${name}`]).toMatchObject({ minimum: min, maximum: max });
  });

  it('has them in the help of the verbs', () => {
    for (const command of [bisectCommand(), gateCommand()]) expect(command.options.find(({ flags }) => flags === flag)!.description).toMatch(new RegExp(`, ${min} to ${max}$`));
  });

  it('is refused beyond them with one sentence', () => {
    for (const value of [min - 1, max + 1]) {
      for (const parsed of [GateExperiment.safeParse({ ...gate, [name]: value }), BisectExperiment.safeParse(bisect(value))]) expect(parsed.error?.issues[0]?.message).toBe(rangeSentence(ranges[name]));
    }
    expect(parseInteger('x', min, max)).toEqual({ fault: `Give ${rangeText(ranges[name])}.` });
    for (const value of [min, max]) expect([GateExperiment.safeParse({ ...gate, [name]: value }).success, BisectExperiment.safeParse(bisect(value)).success]).toEqual([true, true]);
  });
});

it('options and settings begin with the values of the presets', () => {
  for (const name of ['widths', 'draws', 'promptLength', 'walk'] as const) expect(settings[`moire.bisect.${name}`].default).toEqual(presetSettings[name]);
  const preset = (command: Command, name: string): unknown => command.options.find((option) => option.attributeName() === name)!.defaultValue;
  for (const command of [bisectCommand(), gateCommand()]) expect(preset(command, 'width')).toEqual(presetSettings.widths);
  const ways = [[parityCommand(), presets.parity('', presetSettings)], [widthsCommand(), presets.widths('', presetSettings)]] as const;
  for (const [command, { widths, tokens, prompts }] of ways) expect([preset(command, 'width'), preset(command, 'tokens'), prompts.length]).toEqual([widths, tokens, 1 + Number(preset(command, 'draws'))]);
  const { width, tokens } = presets.replay('', presetSettings);
  for (const command of [replayCommand(), rewindCommand()]) expect([preset(command, 'width'), preset(command, 'tokens')]).toEqual([width, tokens]);
  expect(matrixBase('replay', '', Number(preset(switchesCommand(), 'width')))).toMatchObject({ width: 8, tokens: preset(switchesCommand(), 'tokens'), accepts: { kept: preset(switchesCommand(), 'accepts') } });
  expect(bisectCommand().helpInformation()).toMatch(/--width <list> +block widths \(default: 2,4,8,16\)/);
});

it('threads have one limit in setting and help', () => {
  expect(settings['moire.engine.threads']).toMatchObject({ minimum: 0, maximum: ranges.threads.max });
  expect(bisectCommand().options.find(({ flags }) => flags === '--threads <n>')!.description).toMatch(new RegExp(`, 1 to ${ranges.threads.max}$`));
});
