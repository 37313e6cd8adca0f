// Names that package.json contributes. Kept apart, since activation needs them and nothing else.
export const reportViewType = 'moire.report';
/** A panel, not an editor: it shows two files. */
export const compareViewType = 'moire.compare';
export const acceptLogViewType = 'moire.acceptLog';
export const panelViewType = 'moire.completions';
export const treeViewType = 'moire.tree';
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
  'moire.exportPicture',
  'moire.compareReports',
  'moire.inspectAcceptLog',
  'moire.compareAcceptLogs',
  'moire.exportAcceptLog',
  'moire.openSample',
  'moire.addModel',
  'moire.tree.refresh',
  'moire.tree.bisect',
  'moire.tree.serve',
  'moire.tree.inspect',
  'moire.tree.runAgain',
  'moire.tree.compare',
  'moire.tree.reveal',
  'moire.tree.copyPath',
  'moire.tree.delete',
  'moire.tree.attach',
  'moire.tree.showPanel',
  'moire.doctor',
  'moire.restartEngine',
  'moire.showLog',
] as const;
export type CommandId = (typeof commandIds)[number];
