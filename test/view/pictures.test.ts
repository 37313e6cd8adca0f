// Every view is drawn as it was when somebody last looked at it, in three themes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { differenceFrom } from './golden';
import { changeTheme, scenes, startStages, stopStages, type Stages } from './scenes';

let stages: Stages;
beforeAll(async () => {
  stages = await startStages();
});
afterAll(() => stopStages(stages));

describe('as it was', () => {
  it.each(scenes)('$name', { timeout: 120_000 }, async ({ name, open }) => {
    const { page, setTheme } = await open(stages, { theme: 'dark' });
    const said: string[] = [];
    const browser = page.context().browser()?.version() ?? '';
    for (const theme of ['dark', 'light', 'highContrast'] as const) {
      await changeTheme({ page, setTheme }, theme);
      said.push(differenceFrom(`${name}-${theme}`, await page.screenshot({ animations: 'disabled', caret: 'hide' }), browser));
    }
    await page.context().close();
    expect(said.filter((words) => words !== '')).toEqual([]);
  });
});
