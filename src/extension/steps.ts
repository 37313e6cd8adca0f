// A chain of quick inputs with a Back button. Each step shows one quick pick or input box and says where to go.
import * as vscode from 'vscode';

/** `skip`: the step has nothing to ask; the chain goes on in the direction it came from. */
export type Move = 'next' | 'back' | 'skip' | 'cancel';

export interface Place {
  readonly title: string;
  readonly step: number;
  readonly totalSteps: number;
}

export type Step = (place: Place) => Promise<Move>;

/** True when the last step was passed, false when the user gave up. */
export async function runSteps(title: string, steps: readonly Step[]): Promise<boolean> {
  let at = 0;
  let direction = 1;
  while (at < steps.length) {
    const move = await steps[at]?.({ title, step: at + 1, totalSteps: steps.length });
    if (move === undefined || move === 'cancel') return false;
    if (move !== 'skip') direction = move === 'back' ? -1 : 1;
    at += direction;
    if (at < 0) return false;
  }
  return true;
}

interface PickOptions<T extends vscode.QuickPickItem> {
  readonly placeholder: string;
  /** Asked again each time the list is shown. */
  readonly items: () => readonly T[];
  readonly active?: (item: T) => boolean;
  /** May show inputs of its own; the list stands still until it has answered. */
  readonly accept: (item: T) => Promise<Move | 'stay'>;
}

export function pickStep<T extends vscode.QuickPickItem>(place: Place, options: PickOptions<T>): Promise<Move> {
  const input = vscode.window.createQuickPick<T>();
  input.placeholder = options.placeholder;
  input.matchOnDescription = true;
  input.matchOnDetail = true;
  const fill = (): void => {
    input.items = options.items();
    const active = input.items.find((item) => options.active?.(item) === true);
    if (active !== undefined) input.activeItems = [active];
  };
  fill();
  return shown(place, input, async () => {
    const [item] = input.selectedItems;
    if (item === undefined) return 'stay';
    const move = await options.accept(item);
    if (move === 'stay') fill();
    return move;
  });
}

interface TextOptions {
  readonly prompt: string;
  readonly value: string;
  readonly placeholder?: string;
  /** A sentence when the text cannot be taken, else "". */
  readonly check: (text: string) => string;
  readonly accept: (text: string) => void;
}

export function textStep(place: Place, options: TextOptions): Promise<Move> {
  const input = vscode.window.createInputBox();
  input.prompt = options.prompt;
  input.value = options.value;
  input.placeholder = options.placeholder ?? '';
  const check = (): boolean => {
    const fault = options.check(input.value);
    input.validationMessage = fault;
    return fault === '';
  };
  input.onDidChangeValue(check);
  return shown(place, input, () => {
    if (!check()) return Promise.resolve('stay');
    options.accept(input.value);
    return Promise.resolve('next');
  });
}

/** Shows an input until it is accepted, left by Back, or hidden. While an accept is at work the input is busy and takes nothing. */
function shown<T extends vscode.QuickPickItem>(place: Place, input: vscode.QuickPick<T> | vscode.InputBox, accept: () => Promise<Move | 'stay'>): Promise<Move> {
  input.title = place.title;
  input.step = place.step;
  input.totalSteps = place.totalSteps;
  input.ignoreFocusOut = true;
  input.buttons = place.step > 1 ? [vscode.QuickInputButtons.Back] : [];
  return new Promise<Move>((resolve, reject) => {
    let working = false;
    input.onDidTriggerButton(() => resolve('back'));
    input.onDidHide(() => {
      // A dialog or another input that an accept opens hides this one; its answer decides.
      if (!working) resolve('cancel');
    });
    input.onDidAccept(() => {
      if (working) return;
      working = true;
      input.busy = true;
      input.enabled = false;
      accept().then((move) => {
        working = false;
        input.busy = false;
        input.enabled = true;
        if (move === 'stay') input.show();
        else resolve(move);
      }, reject);
    });
    input.show();
  }).finally(() => input.dispose());
}
