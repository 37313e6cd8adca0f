// What the colours and marks of a drawing mean.
import * as l10n from '@vscode/l10n';
import type { Sign } from '../grid';
import { level, notCompared } from '../measures';
import type { Scene } from './scene';
import { letterOn, sheet, text } from './sheet';
import { signMark } from './signs';
import { tag } from './xml';

/** Pixels. */
const rampWidth = 220;

interface Key {
  readonly colour: string;
  readonly words: string;
  readonly sign: string;
  /** That is drawn, not written. */
  readonly drawn?: Sign | undefined;
}

/** As the two choices of drafts are drawn. */
const drafts: readonly Sign[] = ['bonus', 'rejected'];

/** The keys of a legend whose colours stand for words. */
function keysOf({ measure: { choices = [], signs = [], scale, equal, gap, tones }, colours, values }: Scene): Key[] {
  const key = (code: number, words: string, sign = '', drawn?: Sign): Key => ({ colour: colours.levels[code] ?? colours.background, words, sign, drawn });
  return [
    key(level.equal, equal ?? l10n.t('equal')),
    ...(values.includes(notCompared) ? [key(level.notCompared, gap ?? l10n.t('not compared'))] : []),
    ...(scale === 'choice' || scale === 'delta' ? choices.map((words, i) => key(level.differs + i, words, signs[i], tones === 'drafts' ? drafts[i] : undefined)) : []),
  ];
}

function ramp({ scale, measure: { tick }, colours }: Scene, x: number, y: number): string {
  const steps = colours.levels.slice(level.differs);
  const step = rampWidth / steps.length;
  const bars = steps.map((fill, i) => tag('rect', { x: x + i * step, y, width: step + 0.5, height: 10, fill })).join('');
  return bars + scale.ticks.map((value) => text(x + scale.at(value) * rampWidth, y + 23, tick(value), colours.muted, { 'text-anchor': 'middle', 'font-size': 10 })).join('');
}

/** From y on, and how high it is. Keys that the line has no room for begin another. */
export function legend(scene: Scene, y: number): { readonly body: string; readonly height: number } {
  const { measure, colours, grid, values, width } = scene;
  let [x, line]: [number, number] = [sheet.side, y + 10];
  const place = (words: string): { readonly x: number; readonly y: number } => {
    const taken = 34 + words.length * sheet.letter;
    if (x > sheet.side && x + taken > width) [x, line] = [sheet.side, line + 18];
    const at = { x, y: line };
    x += taken;
    return at;
  };
  const keys = keysOf(scene).map(({ colour, words, sign, drawn }) => {
    const at = place(words);
    const mark = drawn !== undefined ? signMark(drawn, { ...at, width: 12, height: 12 }, letterOn(colour)) : sign === '' ? '' : text(at.x + 6, at.y + 10, sign, letterOn(colour), { 'text-anchor': 'middle', 'font-size': 10 });
    return tag('rect', { ...at, width: 12, height: 12, fill: colour, stroke: colours.line }) + mark + text(at.x + 18, at.y + 10, words, colours.muted);
  });
  if (grid.first !== null) {
    const at = place(l10n.t('first divergence'));
    keys.push(tag('path', { d: `M${Math.round(at.x)} ${at.y + 1}h10l-5 9z`, fill: colours.foreground }), text(at.x + 18, at.y + 10, l10n.t('first divergence'), colours.muted));
  }
  const ramped = (measure.scale === 'log' || measure.scale === 'share') && values.some((value) => value > 0);
  return { body: text(sheet.side, y, measure.describes, colours.foreground) + keys.join('') + (ramped ? ramp(scene, sheet.side + 20, line + 26) : ''), height: line - y + (ramped ? 66 : 28) };
}
