// A titled part of the report that can be folded; its content is made when it is first open.
import { element, whenChanged, type Child, type Part } from './dom';

export interface SectionInput<Input> {
  readonly content: Input;
  readonly sections: Readonly<Record<string, boolean>>;
}

export interface SectionOptions<Input> {
  readonly name: string;
  readonly title: string;
  readonly open: boolean;
  /** One phrase beside the title, readable while folded. */
  readonly summary: (content: Input) => string;
  readonly draw: (content: Input) => readonly Child[];
}

export function section<Input extends object>(options: SectionOptions<Input>, toggled: (name: string, open: boolean) => void): Part<SectionInput<Input>> {
  const { name, title } = options;
  const note = element('span', { class: 'muted' });
  const body = element('div', { class: 'section-body' });
  const node = element('details', { class: `section section-${name}` }, element('summary', {}, element('h2', {}, title), note), body);
  let input: SectionInput<Input> | null = null;
  const summarise = whenChanged<Input>((content) => [content], (content) => (note.textContent = options.summary(content)));
  const draw = whenChanged<SectionInput<Input>>(({ content }) => [content], ({ content }) => body.replaceChildren(...present(options.draw(content))));
  const isOpen = ({ sections }: SectionInput<Input>): boolean => sections[name] ?? options.open;
  // Only a change of state moves the fold: the browser tells of a click later, and an update in between must not undo it.
  const fold = whenChanged<boolean>((open) => [open], (open) => (node.open = open));
  node.addEventListener('toggle', () => {
    if (!input || node.open === isOpen(input)) return;
    toggled(name, node.open);
  });
  return {
    node,
    update(next) {
      input = next;
      summarise(next.content);
      fold(isOpen(next));
      if (node.open) draw(next);
    },
  };
}

const present = (children: readonly Child[]): (Node | string)[] => children.filter((child) => child !== null && child !== false);
