// Sessions of one run: whatever happens, all of them are closed.
import type { Call, Model, Session, Switches } from '../types';

export class Sessions {
  private readonly open: Session[] = [];

  async fresh(model: Model, switches: Switches, options: { batch?: number } & Call): Promise<Session> {
    return this.add(await model.open(switches, options));
  }

  async fork(session: Session, options: { rows?: readonly number[] } & Call): Promise<Session> {
    return this.add(await session.fork(options));
  }

  /** A fork for the length of `work`. */
  async withFork<T>(session: Session, options: { rows?: readonly number[] } & Call, work: (copy: Session) => Promise<T>): Promise<T> {
    const copy = await session.fork(options);
    try {
      return await work(copy);
    } finally {
      copy.close();
    }
  }

  close(): void {
    for (const session of this.open.splice(0)) session.close();
  }

  private add(session: Session): Session {
    this.open.push(session);
    return session;
  }
}
