// A headless Chromium for tests.
import { chromium } from 'playwright-core';
import { browserPath } from '../setup/index.mjs';
import { Problem } from './say.mjs';

const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** @returns {Promise<import('playwright-core').Browser>} */
export function launchBrowser() {
  const executablePath = browserPath();
  if (executablePath === undefined) throw new Problem('No Chromium was found. Install it, or name one in CHROMIUM.');
  return chromium.launch({ executablePath, args });
}
