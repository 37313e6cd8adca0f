// The accept log view with the real log reader behind it, in place of the extension host that carries their messages.
import type { Slot } from '../../src/shared/logReaderProtocol';
import { FromLogView, type ToLogView } from '../../src/shared/logViewProtocol';
import { Desk } from '../../src/engine/acceptLogs/desk';
import { toProblem } from '../../src/engine/problem';
import { ViewHarness, type PageOptions, type ViewPage } from './harness';

export type LogHarness = ViewHarness<FromLogView, ToLogView>;

export const startLogHarness = (texts?: Readonly<Record<string, string>>): Promise<LogHarness> => ViewHarness.start<FromLogView, ToLogView>('src/webview/acceptLog/main.ts', texts);

export interface LogPage extends ViewPage<FromLogView, ToLogView> {
  readonly compareWith: (file: string) => Promise<void>;
}

/** Opens the page on a log that is read to its end. */
export async function openLog(harness: LogHarness, file: string, options: PageOptions = {}): Promise<LogPage> {
  const desk = new Desk(() => undefined);
  const read = async (slot: Slot, path: string): Promise<ToLogView> => ({ type: 'log', slot, state: await desk.read(slot, path, new AbortController().signal) });
  const log = await read('a', file);
  const hears = (data: unknown): readonly ToLogView[] => {
    const message = FromLogView.parse(data);
    if (message.type === 'ready') return [log];
    return message.type === 'ask' ? [answer(desk, message)] : [];
  };
  const view = await harness.open({ ...options, hears });
  await view.page.locator('.accept-log').waitFor();
  return { ...view, compareWith: async (other) => view.send(await read('b', other)) };
}

function answer(desk: Desk, { id, question }: Extract<FromLogView, { type: 'ask' }>): ToLogView {
  try {
    return { type: 'answer', id, value: desk.ask(question) };
  } catch (error) {
    return { type: 'refused', id, problem: toProblem(error).data };
  }
}
