import { z } from 'zod';
import { Failure } from '../../run/failure-schema.ts';

/** How every failure is told. */
export const Refusal = z.object({ error: Failure });
