// moire doctor
import { Command } from 'commander';
import { libraryOption, pathOf } from './options';
import { printableLines } from './printable';
import { printJson, print } from './terminal';
import { runHostVerb } from './hostVerb';
import { version } from './version';

const examples = `
Examples:
  $ moire doctor
  $ moire doctor samples/target-4bit

Exit codes: 0 everything is well; 3 something is not.`;

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check the engine library, this processor, the kernels and, if one is given, a model')
    .argument('[model]', 'folder of an MLX-format checkpoint', pathOf)
    .addOption(libraryOption())
    .option('--json', 'print {checks, text} as JSON')
    .addHelpText('after', examples)
    .action((model: string | undefined, options: { readonly library?: string; readonly json?: true }) =>
      runHostVerb(async ({ host, signal, progress }) => {
        const request = { library: options.library ?? '', model: model ?? '', extensionVersion: version };
        const report = await host.doctor(request, { signal });
        progress.stop();
        if (options.json === true) printJson(report);
        else print([printableLines(report.text.trimEnd())]);
        return report.checks.every(({ ok }) => ok) ? 0 : 3;
      }),
    );
}
