// Steps of a switch matrix: which probe, and which switches with all their values.
import * as vscode from 'vscode';
import type { SwitchChoice } from '../shared/engineProtocol';
import type { MatrixBase, SwitchesExperiment } from '../shared/experiment';
import { matrixBase } from '../shared/presets';
import { probeNames } from '../shared/reportFacts';
import { pickStep, type Move, type Place, type Step } from './steps';

interface MatrixDraft {
  readonly facts: { readonly switches: readonly SwitchChoice[]; readonly burstSwitches: readonly SwitchChoice[] } | undefined;
  readonly experiment: SwitchesExperiment;
}

interface ProbeItem extends vscode.QuickPickItem {
  readonly probe: MatrixBase['kind'];
}

const probes: readonly MatrixBase['kind'][] = ['gate', 'prefill', 'replay', 'rewind', 'parity'];

export function matrixSteps(draft: MatrixDraft): Step[] {
  return [(place) => probeStep(place, draft), (place) => switchesStep(place, draft)];
}

function probeStep(place: Place, { experiment }: MatrixDraft): Promise<Move> {
  return pickStep<ProbeItem>(place, {
    placeholder: vscode.l10n.t('Probe to run under every combination'),
    items: () => probes.map((probe) => ({ label: probeNames[probe], probe })),
    active: ({ probe }) => probe === experiment.base.kind,
    accept: ({ probe }) => {
      experiment.base = matrixBase(probe, experiment.model);
      return Promise.resolve('next');
    },
  });
}

const numbersOf = ({ min, max }: SwitchChoice): number[] => [...new Set([min, Math.min(max, min + 1)])];

/** A switch of whole numbers is tried at its two smallest. */
async function switchesStep({ title, step, totalSteps }: Place, { facts, experiment }: MatrixDraft): Promise<Move> {
  const all = [...(facts?.switches ?? []), ...(facts?.burstSwitches ?? [])];
  const picked = await vscode.window.showQuickPick(
    all.map((choice) => {
      const values = choice.values ?? numbersOf(choice).map(String);
      return { label: choice.name, description: values.join(', '), detail: choice.description, picked: experiment.matrix.some(({ name }) => name === choice.name), choice };
    }),
    { title: `${title} (${step}/${totalSteps})`, placeHolder: vscode.l10n.t('Switches to combine, all values of each'), canPickMany: true, ignoreFocusOut: true },
  );
  if (picked === undefined) return 'cancel';
  if (picked.length === 0) return 'back';
  experiment.matrix = picked.map(({ choice }) => ({ name: choice.name, values: choice.values === null ? numbersOf(choice) : [...choice.values] }));
  return 'next';
}
