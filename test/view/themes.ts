// Variables that VS Code gives a webview under its default themes (Dark Modern, Light Modern, Dark and Light High Contrast), as far as the view and its controls read them.
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

const dark = {
  'foreground': '#cccccc', 'descriptionForeground': '#9d9d9d', 'errorForeground': '#f85149', 'focusBorder': '#0078d4', 'contrastBorder': '',
  'editor-background': '#1f1f1f', 'editor-foreground': '#cccccc', 'editorError-foreground': '#f14c4c', 'editorWarning-foreground': '#cca700',
  'badge-background': '#616161', 'badge-foreground': '#f8f8f8', 'button-background': '#0078d4', 'button-foreground': '#ffffff', 'button-hoverBackground': '#026ec1', 'button-border': '#ffffff12',
  'button-secondaryBackground': '#313131', 'button-secondaryForeground': '#cccccc', 'button-secondaryHoverBackground': '#3c3c3c',
  'checkbox-background': '#313131', 'checkbox-border': '#3c3c3c', 'checkbox-foreground': '#cccccc', 'settings-checkboxBackground': '#313131', 'settings-checkboxBorder': '#3c3c3c', 'settings-checkboxForeground': '#cccccc',
  'input-background': '#313131', 'input-foreground': '#cccccc', 'input-placeholderForeground': '#989898', 'input-border': '#3c3c3c', 'settings-textInputBackground': '#313131', 'settings-textInputForeground': '#cccccc', 'dropdown-border': '#3c3c3c',
  'list-hoverBackground': '#2a2d2e', 'list-inactiveSelectionBackground': '#37373d', 'list-activeSelectionBackground': '#04395e', 'panel-border': '#2b2b2b', 'progressBar-background': '#0078d4', 'textLink-foreground': '#4daafc',
  'sideBar-background': '#181818', 'sideBar-foreground': '#cccccc', 'dropdown-background': '#313131', 'dropdown-foreground': '#cccccc',
  'editorHoverWidget-background': '#202020', 'editorHoverWidget-foreground': '#cccccc', 'editorHoverWidget-border': '#454545', 'widget-shadow': '#0000005c',
  'diffEditor-insertedTextBackground': '#9ccc2c33', 'diffEditor-removedTextBackground': '#ff000033',
  'charts-foreground': '#cccccc', 'charts-lines': '#cccccc80', 'charts-red': '#f14c4c', 'charts-blue': '#3794ff', 'charts-yellow': '#cca700', 'charts-orange': '#d18616', 'charts-green': '#89d185', 'charts-purple': '#b180d7',
}; // prettier-ignore

const light = {
  'foreground': '#3b3b3b', 'descriptionForeground': '#3b3b3b', 'errorForeground': '#f85149', 'focusBorder': '#005fb8', 'contrastBorder': '',
  'editor-background': '#ffffff', 'editor-foreground': '#3b3b3b', 'editorError-foreground': '#e51400', 'editorWarning-foreground': '#bf8803',
  'badge-background': '#cccccc', 'badge-foreground': '#3b3b3b', 'button-background': '#005fb8', 'button-foreground': '#ffffff', 'button-hoverBackground': '#0258a8', 'button-border': '#0000001a',
  'button-secondaryBackground': '#e5e5e5', 'button-secondaryForeground': '#3b3b3b', 'button-secondaryHoverBackground': '#cccccc',
  'checkbox-background': '#f8f8f8', 'checkbox-border': '#cecece', 'checkbox-foreground': '#3b3b3b', 'settings-checkboxBackground': '#f8f8f8', 'settings-checkboxBorder': '#cecece', 'settings-checkboxForeground': '#3b3b3b',
  'input-background': '#ffffff', 'input-foreground': '#3b3b3b', 'input-placeholderForeground': '#767676', 'input-border': '#cecece', 'settings-textInputBackground': '#ffffff', 'settings-textInputForeground': '#3b3b3b', 'dropdown-border': '#cecece',
  'list-hoverBackground': '#f2f2f2', 'list-inactiveSelectionBackground': '#e4e6f1', 'list-activeSelectionBackground': '#e8e8e8', 'panel-border': '#e5e5e5', 'progressBar-background': '#005fb8', 'textLink-foreground': '#005fb8',
  'sideBar-background': '#f8f8f8', 'sideBar-foreground': '#3b3b3b', 'dropdown-background': '#ffffff', 'dropdown-foreground': '#3b3b3b',
  'editorHoverWidget-background': '#f8f8f8', 'editorHoverWidget-foreground': '#3b3b3b', 'editorHoverWidget-border': '#c8c8c8', 'widget-shadow': '#00000029',
  'diffEditor-insertedTextBackground': '#9ccc2c40', 'diffEditor-removedTextBackground': '#ff000033',
  'charts-foreground': '#3b3b3b', 'charts-lines': '#3b3b3b80', 'charts-red': '#e51400', 'charts-blue': '#1a85ff', 'charts-yellow': '#bf8803', 'charts-orange': '#d18616', 'charts-green': '#388a34', 'charts-purple': '#652d90',
}; // prettier-ignore

const highContrast = {
  'foreground': '#ffffff', 'descriptionForeground': '#ffffffb3', 'errorForeground': '#f48771', 'focusBorder': '#f38518', 'contrastBorder': '#6fc3df', 'contrastActiveBorder': '#f38518',
  'editor-background': '#000000', 'editor-foreground': '#ffffff', 'editorError-foreground': '#f48771', 'editorWarning-foreground': '#ffd370',
  'badge-background': '#000000', 'badge-foreground': '#ffffff', 'button-background': '#000000', 'button-foreground': '#ffffff', 'button-border': '#6fc3df', 'button-secondaryBackground': '#000000', 'button-secondaryForeground': '#ffffff',
  'checkbox-background': '#000000', 'checkbox-border': '#6fc3df', 'checkbox-foreground': '#ffffff', 'settings-checkboxBackground': '#000000', 'settings-checkboxBorder': '#6fc3df', 'settings-checkboxForeground': '#ffffff',
  'input-background': '#000000', 'input-foreground': '#ffffff', 'input-placeholderForeground': '#ffffffb3', 'input-border': '#6fc3df', 'settings-textInputBackground': '#000000', 'settings-textInputForeground': '#ffffff', 'dropdown-border': '#6fc3df',
  'panel-border': '#6fc3df', 'progressBar-background': '#6fc3df', 'textLink-foreground': '#21a6ff',
  'sideBar-background': '#000000', 'dropdown-background': '#000000', 'dropdown-foreground': '#ffffff',
  'editorHoverWidget-background': '#0c141f', 'editorHoverWidget-foreground': '#ffffff', 'editorHoverWidget-border': '#6fc3df',
  'charts-foreground': '#ffffff', 'charts-lines': '#ffffff80', 'charts-red': '#f48771', 'charts-blue': '#3794ff', 'charts-yellow': '#ffd370', 'charts-orange': '#ab5a00', 'charts-green': '#89d185', 'charts-purple': '#b180d7',
}; // prettier-ignore

const highContrastLight = {
  'foreground': '#292929', 'descriptionForeground': '#292929b3', 'errorForeground': '#b5200d', 'focusBorder': '#006bbd', 'contrastBorder': '#0f4a85', 'contrastActiveBorder': '#006bbd',
  'editor-background': '#ffffff', 'editor-foreground': '#292929', 'editorError-foreground': '#b5200d', 'editorWarning-foreground': '#895503',
  'badge-background': '#0f4a85', 'badge-foreground': '#ffffff', 'button-background': '#0f4a85', 'button-foreground': '#ffffff', 'button-border': '#0f4a85', 'button-secondaryBackground': '#ffffff', 'button-secondaryForeground': '#292929', 'button-hoverBackground': '#0f4a85',
  'checkbox-background': '#ffffff', 'checkbox-border': '#0f4a85', 'checkbox-foreground': '#292929', 'settings-checkboxBackground': '#ffffff', 'settings-checkboxBorder': '#0f4a85', 'settings-checkboxForeground': '#292929',
  'input-background': '#ffffff', 'input-foreground': '#292929', 'input-placeholderForeground': '#292929b3', 'input-border': '#0f4a85', 'settings-textInputBackground': '#ffffff', 'settings-textInputForeground': '#292929', 'dropdown-border': '#0f4a85',
  'panel-border': '#0f4a85', 'progressBar-background': '#0f4a85', 'textLink-foreground': '#0f4a85',
  'sideBar-background': '#ffffff', 'dropdown-background': '#ffffff', 'dropdown-foreground': '#292929',
  'editorHoverWidget-background': '#ffffff', 'editorHoverWidget-foreground': '#292929', 'editorHoverWidget-border': '#0f4a85',
  'charts-foreground': '#292929', 'charts-lines': '#29292980', 'charts-red': '#b5200d', 'charts-blue': '#1a85ff', 'charts-yellow': '#895503', 'charts-orange': '#0f4a85', 'charts-green': '#374e06', 'charts-purple': '#652d90',
}; // prettier-ignore

export const themes: Readonly<Record<ThemeName, Theme>> = {
  dark: { bodyClass: 'vscode-dark', variables: { ...fonts, ...dark } },
  light: { bodyClass: 'vscode-light', variables: { ...fonts, ...light } },
  highContrast: { bodyClass: 'vscode-high-contrast', variables: { ...fonts, ...highContrast } },
  highContrastLight: { bodyClass: 'vscode-high-contrast-light vscode-high-contrast', variables: { ...fonts, ...highContrastLight } },
};

export type Place = 'editor' | 'sideBar';

/** The style of the root element, as VS Code writes it. The colour of the place lies behind the page, which may let it through. */
export const rootStyle = ({ variables }: Theme, place: Place): string =>
  Object.entries(variables)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `--vscode-${name}: ${value};`)
    .concat(place === 'editor' ? [] : [`background: var(--vscode-${place}-background);`])
    .join(' ');
