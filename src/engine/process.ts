// The engine process: a Node child that runs probes for the extension host, so that a crash or a hang of native code never takes the editor down.
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { createMessageConnection, IPCMessageReader, IPCMessageWriter, type CancellationToken, type MessageConnection, RequestType } from 'vscode-jsonrpc/node';
import type { AttachRequest, DoctorReport, DoctorRequest, InspectRequest, ModelFacts, ProblemData, RunOutcome, RunProgress, RunRequest } from '../shared/engineProtocol';
import type { ElementsAnswer, ElementsRequest } from '../shared/elementsProtocol';
import { methods } from '../shared/engineProtocol';
import type { ServerProfile } from '../shared/serverProfile';
import type { ProbeHost, RunCall } from './host';
import { NativeEngine } from './native/nativeEngine';
import { answer, signalOf } from './rpcAnswer';
import { registerServing } from './serving/rpc';
import { throttle } from './throttle';

/** 16 times a second. */
const progressMs = 60;
const graceMs = 1500;

/** Probes are loaded by the first that is asked for; a process that serves never needs them. */
let host: Promise<ProbeHost> | null = null;
const probes = (): Promise<ProbeHost> => (host ??= import('./host').then(({ ProbeHost: Host }) => new Host('process')));

/** Work whose progress goes out beside it. */
async function told<R>(connection: MessageConnection, token: CancellationToken, work: (host: ProbeHost, call: RunCall) => Promise<R>): Promise<R> {
  const progress = throttle((value: RunProgress) => void connection.sendNotification(methods.progress, value), progressMs);
  const onWarning = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
  try {
    return await work(await probes(), { signal: signalOf(token), onProgress: progress.push, onWarning });
  } finally {
    progress.flush();
  }
}

function serve(): void {
  const connection = createMessageConnection(new IPCMessageReader(process), new IPCMessageWriter(process));
  connection.onRequest(new RequestType<RunRequest, RunOutcome, ProblemData>(methods.run), (request, token) => answer(told(connection, token, (host, call) => host.run(request, call))));
  connection.onRequest(new RequestType<ElementsRequest, ElementsAnswer, ProblemData>(methods.elements), (request, token) => answer(told(connection, token, (host, call) => host.elements(request, call))));
  connection.onRequest(new RequestType<DoctorRequest, DoctorReport, ProblemData>(methods.doctor), (request, token) => answer(probes().then((host) => host.doctor(request, { signal: signalOf(token) }))));
  connection.onRequest(new RequestType<InspectRequest, ModelFacts, ProblemData>(methods.inspect), (request, token) => answer(probes().then((host) => host.inspect(request, { signal: signalOf(token) }))));
  connection.onRequest(new RequestType<AttachRequest, ServerProfile, ProblemData>(methods.attach), (request, token) => answer(probes().then((host) => host.attach(request, { signal: signalOf(token) }))));
  connection.onRequest(new RequestType<null, null, ProblemData>(methods.ping), () => null);
  const endServing = registerServing(connection, (library) => NativeEngine.load(library));
  // Without its parent nobody reads what it computes; what a served run captured is written first.
  process.once('disconnect', () => void Promise.race([endServing(), pause(graceMs)]).finally(() => process.exit(0)));
  connection.listen();
}

if (process.send === undefined) {
  process.stderr.write('This is the engine process of Moire; the extension starts it. Use dist/cli.js on the command line.\n');
  process.exitCode = 2;
} else {
  serve();
}
