// The one door to VS Code. Everything else in the page speaks to a Host, so that tests can stand in for the editor.
import type { FromView, ToView } from '../shared/viewProtocol';

export interface Host {
  post(message: FromView): void;
  /** What `save` was given last in this editor, also after the page was dropped and loaded again. */
  saved(): unknown;
  save(state: unknown): void;
  listen(receive: (message: ToView) => void): void;
}

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

const isToView = (data: unknown): data is ToView =>
  typeof data === 'object' && data !== null && 'type' in data && (data.type === 'report' || data.type === 'problem');

/** The host of a webview. May be called once in a page: VS Code gives its API away only once. */
export function vscodeHost(): Host {
  const api = acquireVsCodeApi();
  return {
    post: (message) => api.postMessage(message),
    saved: () => api.getState(),
    save: (state) => api.setState(state),
    listen: (receive) =>
      window.addEventListener('message', (event: MessageEvent<unknown>) => {
        if (isToView(event.data)) receive(event.data);
      }),
  };
}
