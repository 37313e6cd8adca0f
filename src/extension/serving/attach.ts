// Completions from a server that somebody else started.
import { can } from '../../shared/serverProfile';
import { askForServer, askingOf, type AttachedTo } from '../attach/askServer';
import type { Services } from '../services';
import type { Connection } from './connection';

/** What the engine of a server does not tell is taken for not there. */
export function connectionTo({ url, token, model, profile }: AttachedTo): Connection {
  return { kind: 'attached', url, token, model, path: '', drafter: '', width: 0, context: profile.context, completions: can(profile, 'completions'), chat: can(profile, 'chat'), fillInMiddle: false, ours: profile.engine === 'moire' };
}

/** Asks for the server. */
export async function completeFromServer(services: Services): Promise<Connection | undefined> {
  const server = await askForServer(askingOf(services));
  if (server === undefined) return undefined;
  const connection = connectionTo(server);
  services.served.serving.attach(connection);
  return connection;
}
