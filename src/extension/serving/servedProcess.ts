// The server process of a served run, seen from the extension: started, told of, and ended.
import { RpcChild, type ChildLog } from '../../child/rpcChild';
import { serverMethods, type ServerGate, type ServerStart, type ServerStarted } from '../../shared/serverProtocol';
import type { Connection } from './connection';

export interface ServedListener {
  /** The engine behind the port went, with the reason, or is back, with null. */
  readonly away: (reason: string | null) => void;
  readonly gate: (gate: ServerGate) => void;
  /** In words that follow "The server process". */
  readonly ended: (how: string) => void;
}

export class ServedProcess {
  private constructor(
    private readonly child: RpcChild,
    readonly connection: Connection,
    readonly started: ServerStarted,
  ) {}

  /** Rejects with a Problem for what cannot be served. */
  static async start(modulePath: string, asked: ServerStart, { log, listener, signal }: { log: ChildLog; listener: ServedListener; signal: AbortSignal }): Promise<ServedProcess> {
    const child = new RpcChild(modulePath, log, 'server');
    const give = (): void => child.kill('is no longer wanted');
    signal.addEventListener('abort', give, { once: true });
    child.on(serverMethods.away, listener.away);
    child.on(serverMethods.gate, listener.gate);
    try {
      const started = await child.request<ServerStarted>(serverMethods.start, asked);
      void child.ended.then(listener.ended);
      return new ServedProcess(child, connectionOf(started, asked), started);
    } catch (error) {
      child.kill('could not serve the model');
      throw error;
    } finally {
      signal.removeEventListener('abort', give);
    }
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  close(): void {
    this.child.kill('was stopped');
  }
}

function connectionOf({ url, id, path, context, chatTemplate, fillInMiddle, speculation }: ServerStarted, { token }: ServerStart): Connection {
  return { kind: 'started', url, token, model: id, path, drafter: speculation?.drafter ?? '', width: speculation?.width ?? 0, context, completions: true, chat: chatTemplate, fillInMiddle, ours: true };
}
