// A fold of the report; its content is made when it is first open.
import { element, whenChanged, type Child, type Part } from './dom';
import { fold, type FoldOptions } from './fold';

export interface SectionInput<Input> {
  readonly content: Input;
  readonly sections: Readonly<Record<string, boolean>>;
}

export interface SectionOptions<Input> extends FoldOptions {
  readonly summary: (content: Input) => string;
  readonly draw: (content: Input) => readonly Child[];
}

export function section<Input extends object>(options: SectionOptions<Input>, toggled: (name: string, open: boolean) => void): Part<SectionInput<Input>> {
  const body = element('div');
  const folded = fold(options, body, toggled);
  const draw = whenChanged<Input>((content) => [content], (content) => body.replaceChildren(...present(options.draw(content))));
  let note: string;
  const summarise = whenChanged<Input>((content) => [content], (content) => (note = options.summary(content)));
  return {
    node: folded.node,
    update({ content, sections }) {
      summarise(content);
      folded.update(note, sections);
      if (folded.node.open) draw(content);
    },
  };
}

const present = (children: readonly Child[]): (Node | string)[] => children.filter((child) => child !== null && child !== false);
