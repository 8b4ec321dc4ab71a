// [PL40] is carried by the sweep: the same tree, no effect twice, no stage repeated.
import { killsAreSurvived } from '../kill/every-record.ts';
import { sized } from '../long.ts';

killsAreSurvived({ flow: 'piped', least: 150, each: sized(40, 1) });
