// The only file that knows the kit of controls. The rest of the page asks for a button or a choice and gets an element.
import {
  provideVSCodeDesignSystem,
  vsCodeButton,
  vsCodeCheckbox,
  vsCodeProgressRing,
  vsCodeRadio,
  vsCodeRadioGroup,
  vsCodeTextField,
} from '@vscode/webview-ui-toolkit';
import { element } from './view/dom';

/** Define the custom elements. The kit writes one style element: the page's head must hold `<meta property="csp-nonce" content="N">` with the nonce of its style-src. */
export function registerControls(): void {
  provideVSCodeDesignSystem().register(vsCodeButton(), vsCodeCheckbox(), vsCodeProgressRing(), vsCodeRadio(), vsCodeRadioGroup(), vsCodeTextField());
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

export interface Choice<T extends string> {
  readonly node: HTMLElement;
  readonly show: (value: T) => void;
}

/** One of a few named values; `choose` hears only what the user does. */
export function choice<T extends string>(label: string, options: readonly { value: T; label: string; title: string }[], choose: (value: T) => void): Choice<T> {
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

export function checkbox(label: string, checked: boolean, change: (checked: boolean) => void): HTMLElement {
  const box = element('vscode-checkbox', {}, label) as Checkable;
  box.checked = checked;
  box.addEventListener('change', () => change(box.checked));
  return box;
}

export function filterField(label: string, value: string, change: (value: string) => void): HTMLElement {
  const field = element('vscode-text-field', { attributes: { placeholder: label, 'aria-label': label } }) as Valued;
  field.value = value;
  field.addEventListener('input', () => change(field.value));
  return field;
}

export const progressRing = (label: string): HTMLElement => element('vscode-progress-ring', { attributes: { 'aria-label': label } });
