// User settings of the VS Code that tests and `npm start` open: quiet, offline, the whole window for the editor.
export const quietSettings = {
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'workbench.startupEditor': 'none',
  'workbench.enableExperiments': false,
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'window.commandCenter': false,
  'chat.commandCenter.enabled': false,
  'chat.disableAIFeatures': true,
  // Needs an addon that is not built.
  'chat.agentHost.enabled': false,
  'git.enabled': false,
  'files.autoSave': 'off',
  'files.hotExit': 'off',
};

/** Settings ids of the three kinds of theme. */
export const themes = { dark: 'Default Dark Modern', light: 'Default Light Modern', highContrast: 'Default High Contrast' };
