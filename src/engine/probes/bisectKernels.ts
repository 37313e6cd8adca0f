// Which kernel each arm really ran for each op, and the facts of the machine that the steps tell.
import type { KernelPair } from '../../shared/report';
import type { Step, TapInfo } from '../types';
import { namesOf } from './arms';

type Arm = 'a' | 'b';

export class KernelCollector {
  /** "layer op" -> kernels per arm. An arm may run several: the last block of a walk can be shorter. */
  private readonly uses = new Map<string, { layer: number; op: string; a: Set<string>; b: Set<string> }>();

  add(arm: Arm, step: Step): void {
    for (const { layer, op, kernel } of step.kernels) {
      const key = `${layer} ${op}`;
      const use = this.uses.get(key) ?? { layer, op, a: new Set(), b: new Set() };
      use[arm].add(kernel);
      this.uses.set(key, use);
    }
  }

  /** By layer, then in the order of the tap table. */
  pairs(taps: readonly TapInfo[]): KernelPair[] {
    const order = new Map(taps.map(({ name }, i) => [name, i]));
    const place = (op: string): number => order.get(op) ?? taps.length;
    return [...this.uses.values()]
      .sort((x, y) => x.layer - y.layer || place(x.op) - place(y.op))
      .map(({ layer, op, a, b }) => ({ layer, op, a: join(a), b: join(b) }));
  }

  /** Both arms' kernels of one op; "" where the engine names none. */
  of(layer: number, op: string): { a: string; b: string } {
    const use = this.uses.get(`${layer} ${op}`);
    return { a: join(use?.a), b: join(use?.b) };
  }

  names(arm: Arm): Set<string> {
    return new Set([...this.uses.values()].flatMap((use) => [...use[arm]]));
  }
}

function join(names: ReadonlySet<string> | undefined): string {
  return namesOf(names ?? []).join(' + ');
}
