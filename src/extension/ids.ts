// Names that package.json contributes. Kept apart, since activation needs them and nothing else.
export const reportViewType = 'moire.report';
export const acceptLogViewType = 'moire.acceptLog';
export const panelViewType = 'moire.completions';
/** Of the served run as a language model. */
export const modelVendor = 'moire';

export const commandIds = [
  'moire.bisect',
  'moire.prefill',
  'moire.gate',
  'moire.parity',
  'moire.replay',
  'moire.rewind',
  'moire.widths',
  'moire.switches',
  'moire.compareIds',
  'moire.startServedRun',
  'moire.stopServedRun',
  'moire.servedRun',
  'moire.complete',
  'moire.captureRun',
  'moire.inspectRun',
  'moire.toggleInline',
  'moire.whyNoSpeculation',
  'moire.attach',
  'moire.runAgain',
  'moire.openReport',
  'moire.copyRecord',
  'moire.inspectAcceptLog',
  'moire.compareAcceptLogs',
  'moire.exportAcceptLog',
  'moire.doctor',
  'moire.restartEngine',
  'moire.showLog',
] as const;
export type CommandId = (typeof commandIds)[number];
