// Names that package.json contributes. Kept apart, since activation needs them and nothing else.
export const reportViewType = 'moire.report';

export const commandIds = [
  'moire.bisect',
  'moire.prefill',
  'moire.gate',
  'moire.parity',
  'moire.replay',
  'moire.rewind',
  'moire.widths',
  'moire.switches',
  'moire.runAgain',
  'moire.openReport',
  'moire.copyRecord',
  'moire.doctor',
  'moire.restartEngine',
  'moire.showLog',
] as const;
export type CommandId = (typeof commandIds)[number];
