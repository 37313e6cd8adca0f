// Counters of a served run in the text format of Prometheus.
import { Counter, Gauge, Registry } from 'prom-client';
import type { Outcome } from '../engine/serving/request';
import type { Completer } from './completer';

export class Metrics {
  private readonly registry = new Registry();
  private readonly requests = this.counter('requests_total', 'Requests by endpoint and status', ['endpoint', 'status']);
  private readonly tokens = this.counter('tokens_total', 'Tokens of prompts (kind="prompt"), of them taken from earlier requests (kind="cached"), and emitted ones', ['kind']);
  private readonly rounds = this.counter('speculation_rounds_total', 'Rounds of speculation', []);
  private readonly proposed = this.counter('speculation_proposed_total', 'Drafts that were verified', []);
  private readonly accepted = this.counter('speculation_accepted_total', 'Accepted drafts by their place in the block, from 0', ['position']);
  private readonly declined = this.counter('speculation_declined_total', 'Answers without speculation, by reason', ['reason']);
  private readonly hits = this.counter('prefix_cache_hits_total', 'Prompts of which a prefix was cached', []);

  constructor(completer: Completer) {
    const gauge = (name: string, help: string, read: (state: Awaited<ReturnType<Completer['state']>>) => number): Gauge =>
      new Gauge({ name: `moire_${name}`, help, registers: [this.registry], collect: async function collect() {
        if (completer.away === null) this.set(read(await completer.state()));
      } });
    gauge('requests_waiting', 'Requests in the queue', ({ waiting }) => waiting);
    gauge('requests_running', 'Requests that run', ({ running }) => running);
    gauge('prefix_cache_entries', 'Prefixes in the cache', ({ cachedPrefixes }) => cachedPrefixes);
    new Gauge({ name: 'moire_engine_up', help: '1 while the engine serves', registers: [this.registry], collect() { this.set(completer.away === null ? 1 : 0); } });
  }

  request(endpoint: string, status: number): void {
    this.requests.inc({ endpoint, status: String(status) });
  }

  answered({ promptTokens, cachedTokens, emitted, speculation }: Outcome): void {
    this.tokens.inc({ kind: 'prompt' }, promptTokens);
    this.tokens.inc({ kind: 'cached' }, cachedTokens);
    this.tokens.inc({ kind: 'emitted' }, emitted);
    if (cachedTokens > 0) this.hits.inc();
    if (!speculation.engaged) return this.declined.inc({ reason: speculation.reason.slice(0, 200) });
    this.rounds.inc(speculation.rounds);
    this.proposed.inc(speculation.drafted);
    for (let position = 0; position < speculation.width - 1; position += 1) {
      const count = speculation.acceptedPerRound.filter((accepted) => accepted > position).length;
      if (count > 0) this.accepted.inc({ position: String(position) }, count);
    }
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  private counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
    return new Counter({ name: `moire_${name}`, help, labelNames, registers: [this.registry] });
  }
}
