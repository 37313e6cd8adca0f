// The server process that the extension forks: one served run, which ends with its parent.
import { greatest } from '../shared/extremes';
import path from 'node:path';
import process from 'node:process';
import { createMessageConnection, IPCMessageReader, IPCMessageWriter, RequestType, type MessageConnection } from 'vscode-jsonrpc/node';
import { answer } from '../engine/rpcAnswer';
import { ServeOptions } from '../engine/serving/options';
import type { ProblemData } from '../shared/engineProtocol';
import { presetServing } from '../shared/presets';
import { serverMethods, type ServerGate, type ServerStart, type ServerStarted } from '../shared/serverProtocol';
import { ServedRun, type Gate } from './servedRun';

const log = { info: () => undefined, warn: (line: string) => void process.stderr.write(`${line}\n`) };

async function start(connection: MessageConnection, { library, port, token, ...asked }: ServerStart): Promise<{ run: ServedRun; started: ServerStarted }> {
  const options = ServeOptions.parse({ ...presetServing, ...asked });
  const run = await ServedRun.start({ engine: { modulePath: path.join(__dirname, 'engineProcess.js'), library, options, log }, token, hosts: [], host: '127.0.0.1', port });
  run.onAway((away) => void connection.sendNotification(serverMethods.away, away));
  void run.gate().then(async (gate) => {
    if (gate !== null) await connection.sendNotification(serverMethods.gate, decisionOf(gate));
  });
  const { id, path: place, context, chatTemplate, fillInMiddle, notes, speculation } = run.facts;
  return { run, started: { url: run.url, id, path: place, context, chatTemplate, fillInMiddle: fillInMiddle !== null, notes, speculation } };
}

function decisionOf(gate: Gate): ServerGate {
  const engaged = gate.filter((one) => one.engaged);
  const [alone] = gate;
  return { engaged: alone?.engaged === true, reason: alone?.reason ?? 'there is no drafter', together: greatest([0, ...engaged.map(({ batch }) => batch)]) };
}

function serve(): void {
  let running: ServedRun | null = null;
  const connection = createMessageConnection(new IPCMessageReader(process), new IPCMessageWriter(process));
  connection.onRequest(
    new RequestType<ServerStart, ServerStarted, ProblemData>(serverMethods.start),
    async (asked) => {
      const { run, started } = await answer(start(connection, asked));
      running = run;
      return started;
    },
  );
  process.once('disconnect', () => void (running?.close() ?? Promise.resolve()).finally(() => process.exit(0)));
  connection.listen();
}

if (process.send === undefined) {
  process.stderr.write('This is the server process of Moire; the extension starts it. Use "moire serve" on the command line.\n');
  process.exitCode = 2;
} else {
  serve();
}
