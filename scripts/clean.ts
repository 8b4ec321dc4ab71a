// tsc never deletes, and a file of an earlier build would be published with the next one.
import { rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
