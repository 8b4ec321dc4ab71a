import { z } from 'zod';
import { Json } from '../../run/values.ts';

/** Who archived or restored a version last, and when: whoever made it stays its maker. */
export const Moved = z.object({ by: z.string(), at: z.number() });

/** A field that is not the same in two versions. What is only in one of them is absent in the other. */
export const Difference = z.object({ path: z.string(), before: Json.optional(), after: Json.optional() });
export type Difference = z.infer<typeof Difference>;
