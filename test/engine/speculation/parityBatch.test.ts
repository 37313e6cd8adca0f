// The grid four prompts at a time, whose rows accept different counts.
import { parityGrid } from './parityGrid';

parityGrid(4);
