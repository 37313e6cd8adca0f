// One round of text: the DFlash transcript line, or MTPWALK with its tabs.
import type { CapturedRound } from '../../../shared/capture';
import type { CaptureBuilder } from '../builder';
import { limits, type LogLine } from '../reader';
import { newTokens } from '../roundAlgebra';
import { after, fieldsOf, listOf } from '../text';
import { anchors } from './formats';

/** A line that ends inside a field; what stands before it tells whose round it was. */
export interface CutRound {
  readonly cutIn: string;
  readonly index: number | null;
  readonly bonus: number | null;
}

const lists = ['draft_tokens', 'target_tokens', 'new_tokens'] as const;
const order = ['round', 'bs', 'bonus', 'draft_tokens', 'target_tokens', 'accepted', 'new_tokens'] as const;

/** The first field that is missing or a list without its end, null where the line is whole. */
function cutField(fields: ReadonlyMap<string, string>): string | null {
  const cut = order.findIndex((name) => !fields.has(name) || ((lists as readonly string[]).includes(name) && listOf(fields.get(name)) === null));
  return order[cut] ?? null;
}

const idOf = (text: string | undefined): number | null => (text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : null);

/** Null where a number of it is none, which is a finding by then. */
export function readRound(capture: CaptureBuilder, at: LogLine): CapturedRound | CutRound | null {
  const fields = fieldsOf(after(at.text, anchors.round, limits.lineChars));
  const cutIn = cutField(fields);
  if (cutIn !== null) return { cutIn, index: idOf(fields.get('round')), bonus: idOf(fields.get('bonus')) };
  const count = (name: string, most?: number): number | null => capture.count(fields.get(name), name, at, most);
  const ids = (name: string): number[] | null => capture.idList(listOf(fields.get(name)), name, at);
  const [index, width, accepted] = [count('round'), count('bs', limits.rounds), count('accepted')];
  const [drafts, targets, emitted] = [ids('draft_tokens'), ids('target_tokens'), ids('new_tokens')];
  const bonus = count('bonus', 0xffff_ffff);
  if (index === null || width === null || accepted === null || bonus === null || drafts === null || targets === null || emitted === null) return null;
  capture.reserve(1, drafts.length + targets.length + emitted.length);
  return { index, width, bonus, drafts, targets, accepted, emitted, line: at.number };
}

const csv = (text: string | undefined): string[] => (text === undefined || text.trim() === '' ? [] : text.trim().split(','));

/** The line has neither round nor bonus: the bonus is the last token of the round before. */
export function readWalk(capture: CaptureBuilder, at: LogLine, index: number, bonus: number | null): CapturedRound | CutRound | null {
  const text = after(at.text, anchors.walk, limits.lineChars);
  const [, widthText, acceptedText, draftText, targetText] = text.split(text.includes('\t') ? '\t' : /\s+/, 6);
  if (targetText === undefined) return { cutIn: 'the line', index, bonus };
  const width = capture.count(widthText, 'block width', at, limits.rounds);
  const accepted = capture.count(acceptedText, 'accepted', at);
  const drafts = capture.idList(csv(draftText), 'draft ids', at);
  const targets = capture.idList(csv(targetText), 'target ids', at);
  if (width === null || accepted === null || drafts === null || targets === null) return null;
  if (targets.length < width) return { cutIn: 'the target ids', index, bonus };
  capture.reserve(1, drafts.length + 2 * targets.length);
  return { index, width, bonus, drafts, targets, accepted, emitted: newTokens({ drafts, targets, accepted }), line: at.number };
}
