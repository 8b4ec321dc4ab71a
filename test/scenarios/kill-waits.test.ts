import { killsAreSurvived } from '../kill/every-record.ts';
import { sized } from '../long.ts';

killsAreSurvived({ flow: 'waits', least: 120, each: sized(16, 1) });
