// Suites by folder: `node` is everything below test/ that needs no editor; `ui` drives a real VS Code in a browser; `pictures` draws those of README and walkthrough (`npm run pictures`). The in-host tests run under mocha, see test/host.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: ['test/host/**', 'test/ui/**', 'test/fixtures/**'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        // Not of `npm test`: it writes media/.
        test: { name: 'pictures', include: ['test/pictures/*.pictures.ts'], testTimeout: 600_000, hookTimeout: 240_000 },
      },
      {
        test: {
          name: 'ui',
          include: ['test/ui/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
});
