// The formats of mlxcel, and the texts by which its lines are found.
import { formatsOf } from '../reader';

export const formats = formatsOf('mlxcel', 'mlxcel', {
  transcript: ['DFlash round transcript + DFlash accept lengths (DEBUG)', 'A', 'accepted drafts', false, 'round'],
  mtpwalk: ['MTPWALK (stderr, env MLXCEL_MTP_GAP_LOG)', 'A', 'accepted drafts', false, 'round'],
  acceptLens: ['DFlash accept lengths (DEBUG)', 'B', 'accepted drafts', false, 'round'],
  keptRows: ['replay list in the form of MLXCEL_Q35_PROBE_ACCEPTS', 'B', 'kept rows = accepted + 1', true, 'round'],
  diagnostics: ['DFlash diagnostics (INFO)', 'C', 'three buckets (zero, partial, full) and totals', false, 'request'],
  mtpDiagnostics: ['MTP round-loop diagnostics (INFO)', 'C', 'three buckets (zero, partial, full) and totals', false, 'request'],
  timings: ['HTTP timings', 'D', 'totals', false, 'request'],
  verdicts: ['exactness probe and declines (WARN)', null, 'verdicts', null, 'process'],
  logitTrace: ['teacher-forced logit trace (companion file)', null, 'logits of each position', null, 'position'],
});

export const anchors = {
  round: 'DFlash round transcript',
  walk: 'MTPWALK',
  accepts: 'DFlash accept lengths',
  diagnostics: 'DFlash diagnostics',
  mtpDiagnostics: 'MTP round-loop diagnostics',
  completed: 'Speculative burst completed',
  finalized: 'burst finalized',
} as const;
