// Probes over servers, run by the host of the command line tool on an engine that must not be loaded.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { ProbeHost, type RunCall } from '../../../src/engine/host';
import type { Experiment } from '../../../src/shared/experiment';
import type { AnswersReport, Report } from '../../../src/shared/report';
import { formatReport, readReport } from '../../../src/shared/reportFile';

/** A host whose engine is not to be had. */
export const without = new ProbeHost('cli', () => Promise.reject(new Error('the native library was loaded')));

export async function answersOf(experiment: Experiment, bearerTokens: Readonly<Record<string, string>> = {}, call: RunCall = {}, host = without): Promise<AnswersReport> {
  const { report } = await host.run({ experiment, library: '', extensionVersion: '1.2.3', partialPath: '', bearerTokens }, call);
  expect(readReport(formatReport(report))).toMatchObject({ ok: true });
  return asAnswers(report);
}

function asAnswers(report: Report): AnswersReport {
  if (!('answers' in report)) throw new Error(`a report of the kind ${report.kind}`);
  return report;
}

export const words = ({ answers }: AnswersReport): string[] => answers.pairs.map(({ verdict }) => verdict.word);

export interface Listening {
  readonly url: string;
  readonly close: () => Promise<void>;
}

export async function listening(answer: RequestListener): Promise<Listening> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request) text += String(piece);
  return text;
}

export function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
