// The only file that knows the kit of controls. The rest of the page asks for a button or a choice and gets an element.
import {
  provideVSCodeDesignSystem,
  vsCodeButton,
  vsCodeCheckbox,
  vsCodeProgressRing,
  vsCodeRadio,
  vsCodeRadioGroup,
  vsCodeTextArea,
  vsCodeTextField,
} from '@vscode/webview-ui-toolkit';
import { cut, room } from './model/cut';
import { element } from './view/dom';

/** Define the custom elements. The kit writes one style element: the page's head must hold `<meta property="csp-nonce" content="N">` with the nonce of its style-src. */
export function registerControls(): void {
  provideVSCodeDesignSystem().register(vsCodeButton(), vsCodeCheckbox(), vsCodeProgressRing(), vsCodeRadio(), vsCodeRadioGroup(), vsCodeTextArea(), vsCodeTextField());
}

interface Checkable extends HTMLElement {
  checked: boolean;
}
interface Valued extends HTMLElement {
  value: string;
}

export function button(label: string, press: () => void, appearance: 'primary' | 'secondary' = 'secondary'): HTMLElement {
  const made = element('vscode-button', { attributes: { appearance } }, label);
  made.addEventListener('click', press);
  return made;
}

/** A button that cannot be pressed says why, also to who cannot see that it is grey. */
export function enable(made: HTMLElement, enabled: boolean, title: string): void {
  made.toggleAttribute('disabled', !enabled);
  made.title = title;
  if (enabled) made.removeAttribute('aria-description');
  else made.setAttribute('aria-description', title);
}

/** What it shows comes from the page's state; it tells only what the user does. */
export interface Control<T> {
  readonly node: HTMLElement;
  readonly show: (value: T) => void;
}

/** One of a few named values. */
export function choice<T extends string>(label: string, options: readonly { value: T; label: string; title: string }[], choose: (value: T) => void): Control<T> {
  const radios = options.map(({ value, label: text, title }) => element('vscode-radio', { attributes: { value, title } }, text));
  const group = element('vscode-radio-group', { attributes: { 'aria-label': label, orientation: 'horizontal' } }, ...radios) as Valued;
  let shown: string | undefined;
  group.addEventListener('change', () => {
    const option = options.find(({ value }) => value === group.value);
    if (option && option.value !== shown) choose(option.value);
  });
  return {
    node: group,
    show(value) {
      shown = value;
      group.value = value;
    },
  };
}

export function checkbox(label: string, change: (checked: boolean) => void): Control<boolean> {
  const box = element('vscode-checkbox', {}, label) as Checkable;
  let shown = false;
  // The kit also tells of what the page itself sets.
  box.addEventListener('change', () => {
    if (box.checked === shown) return;
    shown = box.checked;
    change(shown);
  });
  return {
    node: box,
    show(checked) {
      shown = checked;
      box.checked = checked;
    },
  };
}

export interface FieldOptions {
  readonly label: string;
  readonly placeholder: string;
  /** The placeholder says it already. */
  readonly hideLabel?: boolean;
}

function typed(tag: 'vscode-text-field' | 'vscode-text-area', { label, placeholder, hideLabel = false }: FieldOptions, change: (value: string) => void): Control<string> {
  // The kit names the field by its content and by nothing else.
  const field = element(tag, { class: hideLabel ? 'label-hidden' : '', attributes: { placeholder } }, label) as Valued;
  field.addEventListener('input', () => change(field.value));
  return {
    node: field,
    // Setting what stands there already would move the caret.
    show(value) {
      if (field.value !== value) field.value = value;
    },
  };
}

export const textField = (options: FieldOptions, change: (value: string) => void): Control<string> => typed('vscode-text-field', options, change);

export function textArea(options: FieldOptions, change: (value: string) => void): Control<string> {
  const area = typed('vscode-text-area', options, change);
  area.node.setAttribute('rows', '4');
  area.node.setAttribute('resize', 'vertical');
  return area;
}

export interface DropdownOption {
  readonly value: string;
  readonly label: string;
  readonly title: string;
  /** Names of a report or a model, which no language changes. */
  readonly foreign?: boolean;
}

export interface Dropdown {
  readonly node: HTMLElement;
  readonly show: (options: readonly DropdownOption[], value: string) => void;
}

/** The browser's own: its list may be larger than the page, where the kit's is cut off at the edge of a low panel. */
export function dropdown(label: string, choose: (value: string) => void): Dropdown {
  const select = element('select', { class: 'dropdown', attributes: { 'aria-label': label } });
  select.addEventListener('change', () => choose(select.value));
  return {
    node: select,
    show(options, value) {
      select.replaceChildren(...options.map((option) => element('option', { attributes: { value: option.value, title: option.title, ...(option.foreign === true ? { translate: 'no' } : {}) } }, cut(option.label, room.name))));
      select.value = value;
    },
  };
}

export function progressRing(label: string): HTMLElement {
  const ring = element('vscode-progress-ring', { attributes: { 'aria-label': label } });
  // The kit gives it an English name of its own when it comes into the page.
  const rename = new MutationObserver(() => ring.getAttribute('aria-label') !== label && ring.setAttribute('aria-label', label));
  rename.observe(ring, { attributeFilter: ['aria-label'] });
  return ring;
}
