// Page object of a VS Code workbench in the browser.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';

const shots = path.join(import.meta.dirname, '../../shots');
const quickInput = '.quick-input-widget';
const rows = '.quick-input-list .monaco-list-row';
/** An open palette does not see commands that come later, so it is opened again after this long. */
const retryMs = 800;

export class Workbench {
  /** Console lines and page errors, oldest first. */
  readonly console: string[] = [];
  /** What broke a content security policy, in the workbench or in a webview. */
  readonly violations: string[] = [];

  constructor(readonly page: Page) {
    page.on('console', (message) => {
      const text = message.text();
      this.console.push(`${message.type()}: ${text}`);
      if (/Content Security Policy/i.test(text) && !/report-only/i.test(text)) this.violations.push(text);
    });
    page.on('pageerror', (error) => this.console.push(`pageerror: ${error.message}`));
  }

  async open(url: string): Promise<void> {
    await this.page.goto(url, { waitUntil: 'domcontentloaded' });
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: 60_000 });
    await this.page.locator('.monaco-workbench .part.activitybar').waitFor();
  }

  /** Runs a command by its title. Waits until the palette knows it and, unless the command asks for input itself, until the palette has closed. */
  async command(title: string, options: { asks?: boolean } = {}): Promise<void> {
    await this.chooseCommand(title, 40);
    if (options.asks !== true) await this.page.locator(quickInput).waitFor({ state: 'hidden' });
  }

  private async chooseCommand(title: string, tries: number): Promise<void> {
    const { page } = this;
    await page.keyboard.press('F1');
    const box = this.input();
    const row = page.locator(rows, { hasText: title }).first();
    try {
      // An editor that is just opening may take the focus, which closes the palette.
      await box.waitFor({ state: 'visible', timeout: 3 * retryMs });
      await box.fill(`>${title}`, { timeout: retryMs });
      await row.waitFor({ timeout: retryMs });
      await row.click({ timeout: retryMs });
    } catch (error) {
      await page.keyboard.press('Escape');
      if (tries <= 1) throw error;
      await this.chooseCommand(title, tries - 1);
    }
  }

  /** The text box of the palette, of a quick pick or of an input box. */
  input(): Locator {
    return this.page.locator(`${quickInput} input.input`);
  }

  /** Answers an input box, or takes the first row of a quick pick that `text` filters. */
  async answer(text: string): Promise<void> {
    const box = this.input();
    await box.waitFor({ state: 'visible' });
    await box.fill(text);
    await this.page.keyboard.press('Enter');
  }

  /** Takes what a step has chosen by itself. Enter before the step's list is there does nothing, so it is pressed until the step has gone. */
  async accept(): Promise<void> {
    const gone = await this.step();
    for (let tries = 0; tries < 4 && !(await gone()); tries += 1) {
      await this.page.keyboard.press('Enter');
      const end = Date.now() + 8000;
      while (Date.now() < end && !(await gone())) await this.page.waitForTimeout(50);
    }
  }

  /** Chooses a row of an open quick pick. What is typed before the next step is there would be typed into this one. */
  async pick(text: string | RegExp): Promise<void> {
    const row = this.page.locator(rows, { hasText: text }).first();
    await row.waitFor();
    const gone = await this.step();
    await row.click();
    const end = Date.now() + 2000;
    while (Date.now() < end && !(await gone())) await this.page.waitForTimeout(50);
  }

  /** Whether the step that is asked now, by its title, has gone. */
  private async step(): Promise<() => Promise<boolean>> {
    const title = this.page.locator('.quick-input-title');
    const words = (): Promise<string> => title.innerText({ timeout: retryMs }).catch(() => '');
    const before = await words();
    return async () => !(await title.isVisible()) || (await words()) !== before;
  }

  /** An item of a menu. The workbench takes no click on a menu that has just opened, so it is clicked until it has gone. */
  async clickAway(item: Locator): Promise<void> {
    for (let tries = 0; tries < 10 && (await item.isVisible()); tries += 1) {
      await item.click({ timeout: 1000 }).catch(() => undefined);
      await this.page.waitForTimeout(200);
    }
  }

  /** The first notification toast that matches. */
  async toast(text: string | RegExp, timeout = 30_000): Promise<Locator> {
    const toast = this.page.locator('.notification-toast', { hasText: text }).first();
    await toast.waitFor({ timeout });
    return toast;
  }

  /** The tab of a file or editor. */
  tab(name: string | RegExp): Locator {
    return this.page.locator('.tabs-container .tab', { hasText: name }).first();
  }

  async openFile(name: string): Promise<void> {
    await this.command('Go to File...', { asks: true });
    await this.input().fill(name);
    // Enter before the list is there opens nothing.
    await this.page.locator(rows, { hasText: path.basename(name) }).first().click();
    await this.tab(path.basename(name)).waitFor();
  }

  /**
   * The document of a webview: page > iframe.webview > iframe#active-frame. Webviews are not inside the editor's DOM, so the frame is found by what it holds.
   * @param holds a selector that only this document has
   */
  async webview(holds: string, timeout = 30_000): Promise<Frame> {
    const end = Date.now() + timeout;
    for (;;) {
      for (const frame of this.innerFrames()) {
        if ((await frame.locator(holds).count().catch(() => 0)) > 0) return frame;
      }
      if (Date.now() > end) throw new Error(`no webview holds ${holds}; frames: ${this.page.frames().map((frame) => frame.url()).join(' ')}`);
      await this.page.waitForTimeout(100);
    }
  }

  private innerFrames(): Frame[] {
    const main = this.page.mainFrame();
    return this.page.frames().filter((frame) => frame !== main && frame.parentFrame() !== main);
  }

  /** Writes shots/<name>.png. */
  async shot(name: string): Promise<void> {
    mkdirSync(shots, { recursive: true });
    await this.page.screenshot({ path: path.join(shots, `${name}.png`) });
  }
}
