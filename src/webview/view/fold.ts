// A titled part of a page that can be folded.
import { cut, room } from '../model/cut';
import { element, whenChanged } from './dom';

export interface FoldOptions {
  readonly name: string;
  readonly title: string;
  readonly open: boolean;
  /** What of it is told by the report, in words that no language changes. */
  readonly foreign?: 'title' | 'note';
}

export interface Fold {
  readonly node: HTMLDetailsElement;
  /** `note`: one phrase beside the title, readable while folded. `sections`: what the user opened or closed, by name. */
  readonly update: (note: string, sections: Readonly<Record<string, boolean>>) => void;
}

export function fold({ name, title, open, foreign }: FoldOptions, body: HTMLElement, toggled: (name: string, open: boolean) => void): Fold {
  const untranslated = { attributes: { translate: 'no' } };
  const words = element('span', { class: 'muted', ...(foreign === 'note' ? untranslated : {}) });
  body.classList.add('section-body');
  const node = element('details', { class: `section section-${name}` }, element('summary', {}, element('h2', foreign === 'title' ? untranslated : {}, title), words), body);
  let wanted = open;
  const say = whenChanged<string>((note) => [note], (note) => (words.textContent = cut(note, room.name)));
  // Only a change of state moves the fold: the browser tells of a click later, and an update in between must not undo it.
  const move = whenChanged<boolean>((now) => [now], (now) => (node.open = now));
  node.addEventListener('toggle', () => {
    if (node.open !== wanted) toggled(name, node.open);
  });
  return {
    node,
    update(note, sections) {
      wanted = sections[name] ?? open;
      say(note);
      move(wanted);
    },
  };
}
