// Requests that wait. Those of one client stand behind each other; clients take turns, so that nobody waits for another one's hundred requests.

export class FairQueue<T> {
  /** Clients in the order of their turns. */
  private readonly lines = new Map<string, T[]>();

  get length(): number {
    return [...this.lines.values()].reduce((sum, line) => sum + line.length, 0);
  }

  push(client: string, item: T): void {
    const line = this.lines.get(client);
    if (line === undefined) this.lines.set(client, [item]);
    else line.push(item);
  }

  /** The next in turn; its client goes to the end. */
  shift(): T | undefined {
    const [turn] = this.lines;
    if (turn === undefined) return undefined;
    const [client, line] = turn;
    this.lines.delete(client);
    const item = line.shift();
    if (line.length > 0) this.lines.set(client, line);
    return item;
  }

  /** Takes out what `gone` says. */
  remove(gone: (item: T) => boolean): T[] {
    const removed: T[] = [];
    for (const [client, line] of this.lines) {
      const left: T[] = [];
      for (const item of line) (gone(item) ? removed : left).push(item);
      if (left.length > 0) this.lines.set(client, left);
      else this.lines.delete(client);
    }
    return removed;
  }
}
