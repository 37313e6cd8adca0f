// Rows of a long list by chunk: those in sight and some around them, never all.
export const chunkRows = 100;
const keptChunks = 24;

type Fetch<Row> = (from: number, to: number) => Promise<readonly Row[]>;

interface Chunk<Row> {
  rows: readonly Row[];
  /** Of the list, when the rows were asked for. */
  version: number;
  asked: boolean;
}

export class RowCache<Row> {
  private chunks = new Map<number, Chunk<Row>>();
  private version = 0;

  constructor(
    private readonly fetch: Fetch<Row>,
    private readonly arrived: () => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** The list grew or changed: what is kept stays in sight until what is new arrives. */
  renew(): void {
    this.version += 1;
  }

  /** The row, undefined as long as it is not there; it is asked for. */
  row(index: number): Row | undefined {
    const number = Math.floor(index / chunkRows);
    const chunk = this.chunks.get(number) ?? { rows: [], version: -1, asked: false };
    if (chunk.version !== this.version && !chunk.asked) this.ask(number, chunk);
    return chunk.rows[index - number * chunkRows];
  }

  private ask(number: number, chunk: Chunk<Row>): void {
    const { version } = this;
    chunk.asked = true;
    this.chunks.delete(number);
    this.chunks.set(number, chunk);
    for (const oldest of this.chunks.keys()) if (this.chunks.size > keptChunks) this.chunks.delete(oldest);
    this.fetch(number * chunkRows, (number + 1) * chunkRows)
      .then((rows) => {
        chunk.rows = rows;
        chunk.version = version;
      }, this.failed)
      .then(() => {
        chunk.asked = false;
        if (chunk.version === version) this.arrived();
      }, this.failed);
  }
}
