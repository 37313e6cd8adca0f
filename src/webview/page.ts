// What every page does before its own work: a root for its nodes, and word to the host of what breaks.
import { registerControls } from './controls';

/** The page needs nothing but a body, and in its head `<meta property="csp-nonce" content="N">` for the kit of controls. */
export function openPage(): HTMLElement {
  registerControls();
  const root = document.createElement('div');
  root.id = 'root';
  document.body.append(root);
  return root;
}

export const errorText = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

/** What went wrong, as a sentence for the page. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Hears of errors that nobody caught. */
export function onFailure(failed: (message: string) => void): void {
  window.addEventListener('error', (event) => failed(errorText(event.error ?? event.message)));
  window.addEventListener('unhandledrejection', (event) => failed(errorText(event.reason)));
}
