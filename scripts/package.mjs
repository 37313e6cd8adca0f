// npm run package: the .vsix of this platform in out/.
import './setup/nodeVersion.mjs';
import { createUi, main } from './lib/say.mjs';
import { packageVsix } from './lib/vsix.mjs';
import { setUpProduct } from './setup/index.mjs';

await main(async () => {
  await setUpProduct(createUi());
  await packageVsix();
});
