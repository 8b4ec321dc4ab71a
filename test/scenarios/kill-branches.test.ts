import { killsAreSurvived } from '../kill/every-record.ts';
import { sized } from '../long.ts';

killsAreSurvived({ flow: 'branches', least: 200, each: sized(20, 1) });
