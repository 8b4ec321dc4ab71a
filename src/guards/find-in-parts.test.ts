import { expect, test } from 'vitest';
import { findInParts, partLength } from './find-in-parts.ts';
import { redacted } from './guard.ts';
import { Secrets } from './secrets.ts';

const secret = 'sk-0123456789';
const secrets = new Secrets([secret, 'other-secret']);
const spellings = [secret, 'sk-\\u0030123456789', 's k-0 1 2 3 4 5 6 7 8 9', 'c2stMDEyMzQ1Njc4OQ=='];

/** With one at every place across the end of the first part, and one in the second. */
const long = spellings.flatMap((spelling) =>
  Array.from({ length: spelling.length + 2 }, (_, k) => {
    const before = 'a'.repeat(partLength - k);
    return `${before}${spelling}${'b'.repeat(partLength)} other-secret end`;
  }),
);

test('[H34] what is looked at in parts is found as in the whole, wherever a part ends', async () => {
  for (const text of long) {
    const { stretches, open } = await findInParts(secrets, text, async () => {});
    const whole = secrets.find(text);
    expect({ stretches, open }).toEqual({ stretches: whole.stretches, open: whole.open });
  }
});

test('[H34] it rests between any two parts, whatever stands in the text', async () => {
  let rests = 0;
  const rest = async (): Promise<void> => void (rests += 1);
  await findInParts(secrets, secret.repeat(partLength), rest);
  expect(rests).toBeGreaterThanOrEqual(secret.length - 1);
  rests = 0;
  await secrets.cleanLong({ texts: ['short', 'x'.repeat(10 * partLength)] }, rest);
  expect(rests).toBeGreaterThanOrEqual(9);
});

test('[H34] a long value is cleaned as a short one is: over texts, and itself if there is nothing', async () => {
  const half = 'y'.repeat(partLength);
  const cut = { content: [{ text: `${half}sk-0123` }, { text: `456789${half}` }] };
  const clean = await secrets.cleanLong(cut, async () => {});
  expect(clean).toEqual(secrets.cleanAll(cut));
  expect(JSON.stringify(clean)).toContain(redacted);
  const harmless = { content: [{ text: `${half}sk-0123` }, { text: half }] };
  expect(await secrets.cleanLong(harmless, async () => {})).toBe(harmless);
});
