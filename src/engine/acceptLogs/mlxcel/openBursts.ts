// Bursts whose end was not seen yet. The lines of rounds name no request: a round finds its burst by number and bonus chain.
import type { CapturedRound } from '../../../shared/capture';
import type { CaptureBuilder } from '../builder';
import { Burst } from '../burst';
import type { LogLine } from '../reader';
import { formats } from './formats';

export type Drafter = 'DFlash' | 'MTP';

export class OpenBurst extends Burst {
  constructor(readonly drafter: Drafter) {
    super(drafter === 'MTP' ? formats.mtpwalk : formats.transcript);
  }
}

/** More requests than this do not run at once: the one that waited longest is over. */
const mostOpen = 64;

export class OpenBursts {
  private open: OpenBurst[] = [];
  private seen = 0;

  constructor(private readonly capture: CaptureBuilder) {}

  get all(): readonly OpenBurst[] {
    return this.open;
  }

  of(drafter: Drafter): OpenBurst[] {
    return this.open.filter((burst) => burst.drafter === drafter);
  }

  take(burst: OpenBurst): void {
    this.open = this.open.filter((other) => other !== burst);
  }

  putBack(burst: OpenBurst): void {
    this.open.push(burst);
  }

  /** The burst that expects this round: by number and bonus, else by number, the latest one first. */
  expecting(index: number, bonus: number | null): OpenBurst | null {
    const numbered = this.of('DFlash').filter(({ nextRound }) => nextRound === index).sort((a, b) => b.lastSeen - a.lastSeen);
    const chained = numbered.filter((burst) => burst.bonus === bonus);
    if (chained.length > 1) this.capture.warn('two requests waited for the same round and bonus token: their rounds cannot be told apart for certain');
    return chained[0] ?? numbered[0] ?? null;
  }

  /** The burst of a transcript round. Returns bursts that have to make room. */
  add(round: CapturedRound, at: LogLine): OpenBurst[] {
    const burst = round.index === 0 ? this.begin('DFlash') : (this.expecting(round.index, round.bonus) ?? this.misplaced(round, at));
    burst.add(this.capture, round, at, this.seen++);
    return this.open.length > mostOpen ? this.open.splice(0, this.open.length - mostOpen) : [];
  }

  addWalk(burst: OpenBurst, round: CapturedRound, at: LogLine): void {
    burst.add(this.capture, round, at, this.seen++);
  }

  begin(drafter: Drafter): OpenBurst {
    const burst = new OpenBurst(drafter);
    this.open.push(burst);
    return burst;
  }

  /** No burst expects the round: a part of the log is missing. */
  private misplaced(round: CapturedRound, at: LogLine): OpenBurst {
    const latest = this.of('DFlash').sort((a, b) => b.lastSeen - a.lastSeen)[0];
    if (latest === undefined) {
      const burst = this.begin('DFlash');
      burst.reason = `the log begins at round ${round.index}`;
      this.capture.find({ severity: 'note', identity: 'rounds count up', sentence: `the log begins at round ${round.index} of a request`, round: round.index }, at);
      return burst;
    }
    latest.reason ||= `round ${round.index} stands where round ${latest.nextRound} was expected`;
    this.capture.find({ identity: 'rounds count up', sentence: `round ${round.index} stands where round ${latest.nextRound} was expected`, round: round.index }, at);
    return latest;
  }
}
