// The log reader: a Node child that holds the logs of one document, so that neither their size nor what they hold reaches the editor. It ends with the document.
import process from 'node:process';
import { createMessageConnection, IPCMessageReader, IPCMessageWriter, type CancellationToken } from 'vscode-jsonrpc/node';
import { logMethods, type ExportRequest, type LogQuestion, type QuickLook, type QuickLookRequest, type Slot } from '../../shared/logReaderProtocol';
import { answer, signalOf } from '../rpcAnswer';
import { Desk } from './desk';
import { exportCapture } from './exportCapture';
import { excerptOf } from './excerpt';
import { quickLook } from './quickLook';

function serve(): void {
  const connection = createMessageConnection(new IPCMessageReader(process), new IPCMessageWriter(process));
  const desk = new Desk((state) => void connection.sendNotification(logMethods.state, state));
  connection.onRequest(logMethods.read, ({ slot, file }: { slot: Slot; file: string }, token: CancellationToken) => answer(desk.read(slot, file, signalOf(token))));
  connection.onRequest(logMethods.ask, (question: LogQuestion) => answer(later(() => desk.ask(question))));
  connection.onRequest(logMethods.export, ({ format, file }: ExportRequest) => answer(later(() => exportCapture(desk.log('a').whole, format, file))));
  connection.onRequest(logMethods.excerpt, ({ slot, line }: { slot: Slot; line: number }, token: CancellationToken) => answer(later(() => excerptOf(desk.log(slot).file, line, signalOf(token)))));
  connection.onRequest(logMethods.quickLook, (request: QuickLookRequest) => answer<QuickLook>(later(() => quickLook(request))));
  process.once('disconnect', () => process.exit(0));
  connection.listen();
}

/** What throws at once is a rejection like any other. */
const later = async <T>(work: () => T | Promise<T>): Promise<T> => work();

if (process.send === undefined) {
  process.stderr.write('This is the log reader of Moire; the extension starts it. Use moire logs on the command line.\n');
  process.exitCode = 2;
} else {
  serve();
}
