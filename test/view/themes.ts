// Variables that VS Code gives a webview under its default themes (Dark Modern, Light Modern, Dark and Light High Contrast), as far as the view and its controls read them.
// The colours are the real editor's: test/ui/themes.test.ts writes and checks them.
import { readFileSync } from 'node:fs';
import path from 'node:path';

export type ThemeName = 'dark' | 'light' | 'highContrast' | 'highContrastLight';

interface Theme {
  readonly bodyClass: string;
  readonly variables: Readonly<Record<string, string>>;
}

const fonts = {
  'font-family': 'system-ui, "Ubuntu", "Droid Sans", sans-serif',
  'font-size': '13px',
  'font-weight': 'normal',
  'editor-font-family': '"Droid Sans Mono", "monospace", monospace',
  'editor-font-size': '14px',
  'editor-font-weight': 'normal',
};

const colours = JSON.parse(readFileSync(path.join(import.meta.dirname, 'themes.json'), 'utf8')) as Readonly<Record<ThemeName, Readonly<Record<string, string>>>>;

export const themes: Readonly<Record<ThemeName, Theme>> = {
  dark: { bodyClass: 'vscode-dark', variables: { ...fonts, ...colours.dark } },
  light: { bodyClass: 'vscode-light', variables: { ...fonts, ...colours.light } },
  highContrast: { bodyClass: 'vscode-high-contrast', variables: { ...fonts, ...colours.highContrast } },
  highContrastLight: { bodyClass: 'vscode-high-contrast-light vscode-high-contrast', variables: { ...fonts, ...colours.highContrastLight } },
};

export type Place = 'editor' | 'sideBar';

/** The style of the root element, as VS Code writes it. The colour of the place lies behind the page, which may let it through. */
export const rootStyle = ({ variables }: Theme, place: Place): string =>
  Object.entries(variables)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `--vscode-${name}: ${value};`)
    .concat(place === 'editor' ? [] : [`background: var(--vscode-${place}-background);`])
    .join(' ');
