import { z } from 'zod';

/** As it is written: what reads addresses leaves line breaks out of them without a word. */
const WrittenUrl = z
  .string()
  .regex(/^[^\s\p{C}]*$/u, 'an address has no line breaks, spaces or other characters that are not seen')
  .pipe(z.url({ protocol: /^https?$/ }));

/** What comes with a message: a file that was sent before, or a small thing itself. */
export const GivenAttachment = z
  .strictObject({
    file: z.string().optional(),
    type: z.string().min(1).max(200).optional(),
    title: z.string().max(500).optional(),
    data: z.string().optional(),
    url: WrittenUrl.optional(),
  })
  .refine(({ file, data, url }) => [file, data, url].filter((way) => way !== undefined).length === 1, {
    error: 'give exactly one of «file», «data» and «url»',
  });
export type GivenAttachment = z.infer<typeof GivenAttachment>;
