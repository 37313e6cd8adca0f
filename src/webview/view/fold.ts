// A titled part of a page that can be folded.
import { element, whenChanged } from './dom';

export interface FoldOptions {
  readonly name: string;
  readonly title: string;
  readonly open: boolean;
  /** The note is said by a model, a log or the engine, and is the same in every language. */
  readonly foreignNote?: boolean;
}

export interface Fold {
  readonly node: HTMLDetailsElement;
  /** `note`: one phrase beside the title, readable while folded. `sections`: what the user opened or closed, by name. */
  readonly update: (note: string, sections: Readonly<Record<string, boolean>>) => void;
}

export function fold({ name, title, open, foreignNote = false }: FoldOptions, body: HTMLElement, toggled: (name: string, open: boolean) => void): Fold {
  const words = element('span', { class: 'muted', attributes: foreignNote ? { translate: 'no' } : {} });
  body.classList.add('section-body');
  const node = element('details', { class: `section section-${name}` }, element('summary', {}, element('h2', {}, title), words), body);
  let wanted = open;
  const say = whenChanged<string>((note) => [note], (note) => (words.textContent = note));
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
