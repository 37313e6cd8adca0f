// The text of a running notification: what is being done, how far it is, and how long it may still take.
import * as l10n from '@vscode/l10n';
import type { RunProgress } from '../shared/engineProtocol';

/** Before this much time and this share have passed, an estimate says nothing. */
const soonestMs = 2000;
const leastShare = 0.02;
/** 10 updates a second are as much as anyone reads. */
const intervalMs = 100;

export class ProgressText {
  private shown = 0;
  private share = 0;

  constructor(private readonly startedAt: number) {}

  /** The text and the growth in percent since the last one, or undefined when the last one is too young. */
  next(progress: RunProgress, now: number): { message: string; increment: number } | undefined {
    const last = progress.total > 0 && progress.done >= progress.total;
    if (now - this.shown < intervalMs && !last) return undefined;
    this.shown = now;
    const share = progress.total > 0 ? Math.min(1, progress.done / progress.total) : 0;
    const increment = Math.max(0, share - this.share) * 100;
    this.share = Math.max(share, this.share);
    return { message: [progress.text, ...this.left(now)].join(' · '), increment };
  }

  private left(now: number): string[] {
    const elapsed = now - this.startedAt;
    if (elapsed < soonestMs || this.share < leastShare || this.share >= 1) return [];
    return [l10n.t('about {0} left', duration((elapsed / this.share) * (1 - this.share)))];
  }
}

/** "8 s", "3 min 20 s", "1 h 5 min" */
export function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
