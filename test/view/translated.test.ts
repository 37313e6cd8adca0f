// Every view in a language of which each text is in brackets: a word outside of them would stay English for everyone.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scenes, startStages, stopStages, type Stages } from './scenes';

const english = Object.keys(JSON.parse(readFileSync(path.join(import.meta.dirname, '../../l10n/bundle.l10n.json'), 'utf8')) as Record<string, string>);

/** Around the whole, with what stands in it, and around each piece of its own, which may be in an element by itself. */
const bracketed = (text: string): string => `⟦${text.replaceAll(/(?<=^|\})[^{]+(?=\{|$)/gu, (piece) => `⟦${piece}⟧`)}⟧`;

let stages: Stages;
beforeAll(async () => {
  stages = await startStages(Object.fromEntries(english.map((text) => [text, bracketed(text)])));
});
afterAll(() => stopStages(stages));

/** Texts of the page and what is said by ear or in hints. What comes from reports, logs and models is no text of the page: it stands in code or is marked by translate="no". */
function textsOfPage(): string[] {
  const foreign = 'code, pre, kbd, script, style, textarea, [translate="no"]';
  const said = ['title', 'placeholder', 'aria-label', 'aria-description', 'aria-roledescription', 'aria-valuetext', 'alt'];
  return [...document.body.querySelectorAll('*')].filter((element) => element.closest(foreign) === null).flatMap((element) => {
    // All of an element's own text at once: a sentence may have elements in it.
    const own = [...element.childNodes].filter((child) => child.nodeType === Node.TEXT_NODE).map((child) => child.textContent ?? '');
    return [...said.map((name) => element.getAttribute(name) ?? ''), own.join(' ')];
  });
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
