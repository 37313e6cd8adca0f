// npm run build: packages, native engine and bundles, as far as they are out of date.
import './setup/nodeVersion.mjs';
import { createUi, main } from './lib/say.mjs';
import { setUpProduct } from './setup/index.mjs';

await main(async () => {
  await setUpProduct(createUi());
});
