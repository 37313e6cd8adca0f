// A view in a real browser: bundled as the product is, served on loopback under the extension's CSP, with a stand-in for VS Code.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../scripts/lib/browser.mjs';
import { textsElement } from '../../src/shared/pageTexts';
import type { FromView, ToView } from '../../src/shared/viewProtocol';
import { rootStyle, themes, type Place, type ThemeName } from './themes';

const nonce = 'dGVzdC1ub25jZQ==';

/** The entry of the view's bundle. */
async function bundle(entry: string): Promise<Map<string, string>> {
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, write: false, outdir: '/', entryNames: 'view', platform: 'browser', target: 'chrome130', format: 'iife', define: { 'process.env.NODE_ENV': '"production"' } });
  return new Map(outputFiles.map(({ path, text }) => [path.endsWith('.css') ? '/view.css' : '/view.js', text]));
}

const csp = (origin: string): string => `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${origin} 'nonce-${nonce}'; img-src ${origin} data:; font-src ${origin}`;

const html = (texts: unknown): string => `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta property="csp-nonce" content="${nonce}"><link rel="stylesheet" href="/view.css"><title>view</title></head>
<body>${textsElement(texts)}<script nonce="${nonce}" src="/view.js"></script></body></html>`;

/** Runs in the page before its own scripts: VS Code's API, kept state in the session's storage, and a record of what was posted and what broke. */
function standIn(): void {
  const record = { posted: [] as unknown[], violations: [] as string[] };
  Object.assign(window, {
    record,
    acquireVsCodeApi: () => ({
      postMessage: (message: unknown) => {
        record.posted.push(message);
        (window as { hears?: (message: unknown) => void }).hears?.(message);
      },
      getState: () => JSON.parse(sessionStorage.getItem('state') ?? 'null') as unknown,
      setState: (state: unknown) => sessionStorage.setItem('state', JSON.stringify(state)),
    }),
  });
  document.addEventListener('securitypolicyviolation', (event) => record.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
}

interface Recorded {
  readonly record: { readonly posted: unknown[]; readonly violations: string[] };
}

export interface ViewPage<From = FromView, To = ToView> {
  readonly page: Page;
  readonly send: (message: To) => Promise<void>;
  readonly posted: () => Promise<From[]>;
  readonly violations: () => Promise<string[]>;
  readonly setTheme: (theme: ThemeName) => Promise<void>;
  /** Errors of the page and of its console. */
  readonly errors: readonly string[];
}

export interface PageOptions {
  readonly theme?: ThemeName;
  readonly place?: Place;
  readonly width?: number;
  readonly height?: number;
  readonly scale?: number;
  /** A host that answers: hears every message as it is posted, and what it returns is sent to the page. */
  readonly hears?: (message: unknown) => readonly unknown[];
}

/** By default of the report view. */
export class ViewHarness<From = FromView, To = ToView> {
  private constructor(
    private readonly browser: Browser,
    private readonly server: Server,
    private readonly origin: string,
  ) {}

  /** @param texts of a language pack, as VS Code hands them to the extension; undefined for English */
  static async start<From = FromView, To = ToView>(entry = 'src/webview/main.ts', texts?: Readonly<Record<string, string>>): Promise<ViewHarness<From, To>> {
    const files = await bundle(entry);
    const server = createServer((request, response) => {
      const text = request.url === '/' ? html(texts) : files.get(request.url ?? '');
      const type = request.url?.endsWith('.css') ? 'text/css' : request.url?.endsWith('.js') ? 'text/javascript' : 'text/html';
      response.writeHead(text === undefined ? 404 : 200, { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': csp(`http://${request.headers.host ?? ''}`) });
      response.end(text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return new ViewHarness<From, To>(await launchBrowser(), server, `http://127.0.0.1:${port}`);
  }

  async open({ theme = 'dark', place = 'editor', width = 1200, height = 900, scale = 1, hears }: PageOptions = {}): Promise<ViewPage<From, To>> {
    const context = await this.browser.newContext({ viewport: { width, height }, deviceScaleFactor: scale, reducedMotion: 'reduce', locale: 'en-US', timezoneId: 'UTC' });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && !message.text().includes('favicon') && errors.push(message.text()));
    await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
    await page.addInitScript(standIn);
    await page.addInitScript(dress, { style: rootStyle(themes[theme], place), bodyClass: themes[theme].bodyClass });
    // As text: the driver's own serialiser takes minutes for a large report.
    const sendAny = (message: unknown): Promise<void> => page.evaluate((text) => window.postMessage(JSON.parse(text), '*'), JSON.stringify(message));
    if (hears !== undefined)
      await page.exposeFunction('hears', async (message: unknown) => {
        for (const one of hears(message)) await sendAny(one);
      });
    await page.goto(this.origin);
    return {
      page,
      errors,
      send: sendAny,
      posted: () => page.evaluate(() => (window as unknown as Recorded).record.posted as From[]),
      violations: () => page.evaluate(() => (window as unknown as Recorded).record.violations),
      setTheme: (next) => page.evaluate(redress, { style: rootStyle(themes[next], place), bodyClass: themes[next].bodyClass }),
    };
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

interface Dress {
  readonly style: string;
  readonly bodyClass: string;
}

/** VS Code sets its variables on the root element and the kind of theme as a class of the body, before the page's scripts run. */
function dress({ style, bodyClass }: Dress): void {
  const observer = new MutationObserver(() => {
    if (document.querySelector('body') === null) return;
    observer.disconnect();
    document.documentElement.style.cssText = style;
    document.body.className = bodyClass;
  });
  observer.observe(document, { childList: true, subtree: true });
}

function redress({ style, bodyClass }: Dress): void {
  document.documentElement.style.cssText = style;
  document.body.className = bodyClass;
}
