import type { AddressAt } from '../trace/recorded.ts';

/** A step at a moment, in an address that is a file: `#step-7@298`. */
export const placeInPage: AddressAt = (step, at) =>
  `#${step === undefined ? '' : `step-${step}`}${at === undefined ? '' : `@${at}`}`;

export function placeOfHash(hash: string): { readonly step?: number; readonly at?: number } {
  const [, step, at] = /^#(?:step-(\d+))?(?:@(\d+))?$/.exec(hash) ?? [];
  return {
    ...(step === undefined ? {} : { step: Number(step) }),
    ...(at === undefined ? {} : { at: Number(at) }),
  };
}
