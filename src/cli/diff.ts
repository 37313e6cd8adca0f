// moire diff
import { Command } from 'commander';
import { formatTable, formatFloat } from '../shared/format';
import type { DiffEntry, Report } from '../shared/report';
import { describeDifference, differs } from '../engine/probes/diff';
import { pathOf, reportOptions } from './options';
import { runReport, type ReportOptions } from './runReport';
import { styled, styledVerdict } from './terminal';
import { runHostVerb } from './hostVerb';

const examples = `
Examples:
  $ moire diff before.safetensors after.safetensors
  $ moire diff a.safetensors b.safetensors --out difference.moire.json

Exit codes: 0 equal; 1 different; 2 usage or bad input; 3 nothing to compare, or incomplete.`;

function row(entry: DiffEntry): string[] {
  const measured = entry.differingBytes > 0;
  return [entry.name, describeDifference(entry), measured ? String(entry.maxUlp) : '', measured ? formatFloat(entry.maxAbs) : '', measured ? formatFloat(entry.relL2) : ''];
}

function lines(report: Report): string[] {
  if (report.kind !== 'diff') return [];
  const differing = report.diff.entries.filter(differs);
  const [head = '', ...rows] = formatTable([['tensor', 'difference', 'max ULP', 'max abs', 'relative L2'], ...differing.map(row)], new Set([2, 3, 4]));
  return [...(differing.length === 0 ? [] : [styled('dim', head), ...rows, '']), `${styledVerdict(report.verdict.word)}: ${report.verdict.sentence}`];
}

export function diffCommand(): Command {
  const command = new Command('diff')
    .description('compare two safetensors files, tensor by tensor')
    .argument('<a>', 'a .safetensors file', pathOf)
    .argument('<b>', 'another one', pathOf)
    .addHelpText('after', examples);
  return reportOptions(command).action((a: string, b: string, options: ReportOptions) => runHostVerb((verb) => runReport(verb, { kind: 'diff', a, b }, options, lines)));
}
