import { mutantsAreCaught } from './caught.ts';

mutantsAreCaught(1);
