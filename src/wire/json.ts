import { z } from 'zod';

/** Any JSON, as protocols carry it without looking into it. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export const Json: z.ZodType<Json> = z.json();
