// Every view, by the rules of axe: nothing serious or critical in any theme.
import axe, { type AxeResults } from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeTheme, scenes, startStages, stopStages, type Stages } from './scenes';
import type { ThemeName } from './themes';

let stages: Stages;
beforeAll(async () => {
  stages = await startStages();
});
afterAll(() => stopStages(stages));

const themes: readonly ThemeName[] = ['dark', 'light', 'highContrast', 'highContrastLight'];

/** Of a whole page that a browser opens alone; in VS Code the editor around it has title, landmarks and headings of its own. */
const notOurs = ['document-title', 'html-has-lang', 'landmark-one-main', 'page-has-heading-one', 'region', 'bypass'];

interface Findings {
  readonly serious: readonly string[];
  readonly checked: number;
}

const findings = ({ violations, passes }: AxeResults): Findings => ({
  serious: violations
    .filter(({ impact, id }) => (impact === 'serious' || impact === 'critical') && !notOurs.includes(id))
    .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary = '' }) => `${id}: ${target.join(' ')}: ${failureSummary.replaceAll(/\s+/g, ' ')}`)),
  checked: passes.length,
});

describe('axe has nothing serious to say of', () => {
  it.each(scenes)('$name', { timeout: 120_000 }, async ({ open }) => {
    const { page, setTheme } = await open(stages, { theme: 'dark' });
    for (const theme of themes) {
      await changeTheme({ page, setTheme }, theme);
      // It remembers what it has seen of the page, colours too.
      await page.evaluate(axe.source);
      const found = findings(await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run(document.body, { resultTypes: ['violations'] })));
      expect(found.serious, theme).toEqual([]);
      // An axe that saw nothing would find nothing.
      expect(found.checked, theme).toBeGreaterThan(5);
    }
    await page.context().close();
  });
});
