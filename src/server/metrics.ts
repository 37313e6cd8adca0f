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

  private readonly waiting = this.gauge('requests_waiting', 'Requests in the queue');
  private readonly running = this.gauge('requests_running', 'Requests that run');
  private readonly entries = this.gauge('prefix_cache_entries', 'Prefixes in the cache');
  private readonly up = this.gauge('engine_up', '1 while the engine serves');

  constructor(private readonly completer: Completer) {}

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

  /** An engine that is away or does not answer has nothing waiting and nothing running; the counters are told all the same. */
  async text(): Promise<string> {
    const state = this.completer.away === null ? await this.completer.state().catch(() => null) : null;
    this.up.set(state === null ? 0 : 1);
    this.waiting.set(state?.waiting ?? 0);
    this.running.set(state?.running ?? 0);
    this.entries.set(state?.cachedPrefixes ?? 0);
    return this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  private counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
    return new Counter({ name: `moire_${name}`, help, labelNames, registers: [this.registry] });
  }

  private gauge(name: string, help: string): Gauge {
    return new Gauge({ name: `moire_${name}`, help, registers: [this.registry] });
  }
}
