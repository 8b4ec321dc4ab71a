/** How much of a text a console shows. Characters. */
export const lengths = { query: 500, response: 2_000, reasoning: 500, summary: 200 } as const;
