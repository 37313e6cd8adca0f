// A stand-in for the engine process with the faults of a bad day, chosen by the model's name. Only the life of the process is tested with it.
import process from 'node:process';
import { createMessageConnection, IPCMessageReader, IPCMessageWriter, ResponseError } from 'vscode-jsonrpc/node.js';

const connection = createMessageConnection(new IPCMessageReader(process), new IPCMessageWriter(process));
const never = () => new Promise(() => {});

function block() {
  for (;;);
}

const behaviours = {
  answers: async () => ({ report: { from: process.pid } }),
  // The work never ends and no cancel is heard, but the process lives.
  deaf: never,
  // Not even a ping is answered.
  hung: () => setTimeout(block, 20) && never(),
  dies: () => setTimeout(() => process.kill(process.pid, 'SIGKILL'), 50) && never(),
  obedient: (token) => new Promise((_, reject) => token.onCancellationRequested(() => reject(new ResponseError(-32800, 'cancelled')))),
  refuses: () => Promise.reject(new ResponseError(-32001, 'no', { kind: 'input', title: 'The folder is empty', place: '/models/x', action: 'Choose another' })),
  chatty: async () => {
    process.stderr.write('a line for the log\n');
    await connection.sendNotification('progress', { text: 'half', done: 1, total: 2 });
    return { report: { from: process.pid } };
  },
};

connection.onRequest('run', ({ experiment: { model } }, token) => behaviours[model](token));
connection.onRequest('ping', () => null);
connection.onRequest('doctor', () => ({ checks: [], text: `${process.env.ELECTRON_RUN_AS_NODE} ${process.env.NODE_OPTIONS ?? 'no options'}` }));
connection.listen();
