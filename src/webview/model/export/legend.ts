// What the colours and marks of a drawing mean.
import * as l10n from '@vscode/l10n';
import { level, notCompared } from '../measures';
import type { Scene } from './scene';
import { letterOn, sheet, text } from './sheet';
import { tag } from './xml';

/** Pixels. */
const rampWidth = 220;

interface Key {
  readonly colour: string;
  readonly words: string;
  readonly sign: string;
}

/** The keys of a legend whose colours stand for words. */
function keysOf({ measure: { choices = [], signs = [], scale }, colours, values }: Scene): Key[] {
  const key = (code: number, words: string, sign = ''): Key => ({ colour: colours.levels[code] ?? colours.background, words, sign });
  return [
    key(level.equal, l10n.t('equal')),
    ...(values.includes(notCompared) ? [key(level.notCompared, l10n.t('not compared'))] : []),
    ...(scale === 'choice' || scale === 'delta' ? choices.map((words, i) => key(level.differs + i, words, signs[i])) : []),
  ];
}

function ramp({ scale, measure: { tick }, colours }: Scene, x: number, y: number): string {
  const steps = colours.levels.slice(level.differs);
  const step = rampWidth / steps.length;
  const bars = steps.map((fill, i) => tag('rect', { x: x + i * step, y, width: step + 0.5, height: 10, fill })).join('');
  return bars + scale.ticks.map((value) => text(x + scale.at(value) * rampWidth, y + 23, tick(value), colours.muted, { 'text-anchor': 'middle', 'font-size': 10 })).join('');
}

/** From y on, and how high it is. */
export function legend(scene: Scene, y: number): { readonly body: string; readonly height: number } {
  const { measure, colours, grid, values } = scene;
  let x = sheet.side;
  const keys = keysOf(scene).map(({ colour, words, sign }) => {
    const at = x;
    x += 34 + words.length * sheet.letter;
    const mark = sign === '' ? '' : text(at + 6, y + 20, sign, letterOn(colour), { 'text-anchor': 'middle', 'font-size': 10 });
    return tag('rect', { x: at, y: y + 10, width: 12, height: 12, fill: colour, stroke: colours.line }) + mark + text(at + 18, y + 20, words, colours.muted);
  });
  if (grid.first !== null) keys.push(tag('path', { d: `M${Math.round(x)} ${y + 11}h10l-5 9z`, fill: colours.foreground }), text(x + 18, y + 20, l10n.t('first divergence'), colours.muted));
  const ramped = (measure.scale === 'log' || measure.scale === 'share') && values.some((value) => value > 0);
  return { body: text(sheet.side, y, measure.describes, colours.foreground) + keys.join('') + (ramped ? ramp(scene, sheet.side + 20, y + 36) : ''), height: ramped ? 76 : 38 };
}
