// Every view in a language of which each text is in brackets: a word outside of them would stay English for everyone.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scenes, startStages, stopStages, type Stages } from './scenes';

const english = Object.keys(JSON.parse(readFileSync(path.join(import.meta.dirname, '../../l10n/bundle.l10n.json'), 'utf8')) as Record<string, string>);

let stages: Stages;
beforeAll(async () => {
  stages = await startStages(Object.fromEntries(english.map((text) => [text, `⟦${text}⟧`])));
});
afterAll(() => stopStages(stages));

/** Texts of the page and what is said by ear or in hints. What comes from reports, logs and models is no text of the page: it stands in code or is marked by translate="no". */
function textsOfPage(): string[] {
  const foreign = 'code, pre, kbd, script, style, textarea, [translate="no"]';
  const said = ['title', 'placeholder', 'aria-label', 'aria-description', 'aria-roledescription', 'aria-valuetext', 'alt'];
  const texts: string[] = [];
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode()) {
    const element = node instanceof Element ? node : node.parentElement;
    if (element?.closest(foreign) !== null) continue;
    if (node instanceof Element) texts.push(...said.map((name) => element.getAttribute(name) ?? ''));
    else texts.push(node.textContent ?? '');
  }
  return texts;
}

/** What stands outside of all brackets; they may be nested. */
function outside(text: string): string {
  for (let rest = text; ; ) {
    const next = rest.replaceAll(/⟦[^⟦⟧]*⟧/gu, ' ');
    if (next === rest) return rest;
    rest = next;
  }
}

/** An amount with its unit, and numbers that have names. */
const amounts = /\d[\d.,]* ?(ms|s|min|k?B|MB|GB|TB)(?!\p{L})|NaN|-?Infinity/gu;

async function untranslated(page: Page): Promise<string[]> {
  const texts = await page.evaluate(textsOfPage);
  return [...new Set(texts.filter((text) => /\p{L}{2}/u.test(outside(text).replaceAll(amounts, ' '))).map((text) => text.replaceAll(/\s+/gu, ' ')))];
}

describe('no text stays English in', () => {
  it.each(scenes)('$name', { timeout: 120_000 }, async ({ open }) => {
    const { page, errors } = await open(stages, { theme: 'dark' });
    expect(await untranslated(page)).toEqual([]);
    expect(errors).toEqual([]);
    // A page without any would pass as well.
    expect(await page.evaluate(() => document.body.innerHTML.includes('⟦'))).toBe(true);
    await page.context().close();
  });
});
