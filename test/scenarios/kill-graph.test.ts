import { killsAreSurvived } from '../kill/every-record.ts';
import { sized } from '../long.ts';

killsAreSurvived({ flow: 'graph', least: 100, each: sized(12, 1) });
