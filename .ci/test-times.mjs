// Where `npm test` keeps the seconds of each test file, for `npm run test:quick`.
import { join } from 'node:path';
import { root } from './checks.mjs';

export const timesFile = join(root, 'node_modules/.cache/pagewright/test-times.json');
