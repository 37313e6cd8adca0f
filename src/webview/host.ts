// The one door to VS Code. Everything else in a page speaks to a Host, so that tests can stand in for the editor.
export interface Host<From, To> {
  post(message: From): void;
  /** What `save` was given last in this view, also after the page was dropped and loaded again. */
  saved(): unknown;
  save(state: unknown): void;
  listen(receive: (message: To) => void): void;
}

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** The host of a webview, which hears messages of these types. May be called once in a page: VS Code gives its API away only once. */
export function vscodeHost<From, To extends { readonly type: string }>(types: readonly To['type'][]): Host<From, To> {
  const api = acquireVsCodeApi();
  const isTo = (data: unknown): data is To => typeof data === 'object' && data !== null && 'type' in data && types.some((type) => type === data.type);
  return {
    post: (message) => api.postMessage(message),
    saved: () => api.getState(),
    save: (state) => api.setState(state),
    listen: (receive) =>
      window.addEventListener('message', (event: MessageEvent<unknown>) => {
        if (isTo(event.data)) receive(event.data);
      }),
  };
}
