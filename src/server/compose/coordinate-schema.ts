import { z } from 'zod';
import type { CoordinateSettings } from '../../flows/coordinate/settings.ts';

/** Settings of a coordinator, as they are written. */
export const Coordinate: z.ZodType<CoordinateSettings> = z.strictObject({
  router: z.string(),
  writer: z.string(),
  fallback: z.string(),
  onFailure: z.enum(['skip', 'ask', 'continue']).optional(),
  exchanges: z.int().positive().optional(),
  characters: z.int().positive().optional(),
  agents: z
    .array(
      z.strictObject({
        name: z.string(),
        title: z.string().optional(),
        icon: z.string().optional(),
        description: z.string(),
        receives: z.array(z.string()).optional(),
        get team() {
          return Coordinate.optional();
        },
      }),
    )
    .min(1, 'name at least one agent'),
});
