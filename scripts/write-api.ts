import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiReport } from './api-report.ts';

const root = join(import.meta.dirname, '..');
writeFileSync(join(root, 'docs/api.md'), apiReport(root));
