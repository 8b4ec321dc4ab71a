import { z } from 'zod';

/**
 * What a viewer, or an app for all its viewers, prefers to see. It changes what is shown, never what is recorded, and
 * what is not shown is never mixed with the words of a step that is.
 */
export const Preferences = z.strictObject({
  /**
   * The mirrored stages of other agents: where they are, side by side below the turn that brought them, the same with
   * the agent's name in front, or not at all.
   */
  stages: z.enum(['nested', 'flat', 'prefix', 'off']).optional(),
  /** The only stages to show, by their titles, without case and without symbols in front. */
  names: z.array(z.string()).optional(),
  /** How many levels of steps to show below the run. */
  depth: z.int().nonnegative().optional(),
});
export type Preferences = z.infer<typeof Preferences>;
