// The grid one prompt at a time.
import { parityGrid } from './parityGrid';

parityGrid(1);
