import { expect, test, vi } from 'vitest';
import { SoonDatabase } from '../../../test/database/soon.ts';
import { databaseStore } from '../../stores/database.ts';
import { acceptedBy, doubtOf, type Pinned } from '../../tools/mcp/pins.ts';
import { approvePins, storePins } from './store-pins.ts';
import { openTools } from './tools.ts';

const clean = <T>(value: T): T => value;
const pinned: Pinned = { seen: { pin: 'a.b', endpoint: '["node"]', description: 'd', schema: {} } };

async function twoProcesses() {
  const database = new SoonDatabase();
  const [one, other] = [databaseStore(database.of('one')), databaseStore(database.of('other'))];
  return { one, pins: await storePins(one, clean), others: await storePins(other, clean) };
}

test('[M9] what one process approves counts in all of them', async () => {
  const { one, pins, others } = await twoProcesses();
  await pins.change(new Map([['sly/look', () => pinned]]));
  await vi.waitFor(() => expect(others.get('sly/look')).toEqual(pinned));
  expect(await approvePins(one.shared, 'sly')).toEqual([['sly/look', 'a.b']]);
  await vi.waitFor(() => expect(others.get('sly/look')).toMatchObject({ approved: 'a.b' }));
  await expect(approvePins(one.shared, 'sl')).rejects.toThrow('No tool «sl» was seen here');
});

test('[M9] two processes in which people agree at the same moment forget neither', async () => {
  const { pins, others } = await twoProcesses();
  await pins.change(new Map([['sly/look', () => pinned]]));
  const agree =
    (tenant: string) =>
    (known = pinned) =>
      acceptedBy({ tenant }, known);
  await Promise.all([
    pins.change(new Map([['sly/look', agree('t')]])),
    others.change(new Map([['sly/look', agree('u')]])),
  ]);
  await vi.waitFor(() => {
    const known = others.get('sly/look') ?? pinned;
    expect(['t', 'u', 'v'].map((tenant) => doubtOf(known, { tenant }) === undefined)).toEqual([
      true,
      true,
      false,
    ]);
  });
});

test('[K51] what is known to be secret by now is taken out of what was kept before', async () => {
  const { one, pins } = await twoProcesses();
  const seen = { ...pinned.seen, description: 'says tok_1', endpoint: '["node","--token","abc"]' };
  await pins.change(new Map([['sly/look', () => ({ seen })]]));
  const hiding = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('tok_1', '[redacted]')) as T;
  await storePins(one, hiding);
  const [kept] = await one.shared.list({ kind: 'pins' });
  expect(JSON.parse(kept?.value ?? '')).toMatchObject({
    seen: { description: 'says [redacted]', endpoint: '["node","--token","[redacted]"]' },
  });
});

test('[V231] what was approved elsewhere counts within ten seconds where its hint was lost', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const database = new SoonDatabase();
    const [one, other] = [databaseStore(database.of('one')), databaseStore(database.of('other'))];
    const pins = await storePins({ shared: other.shared, listen: () => () => {} }, clean);
    const far = { name: 'far', command: [process.execPath, '-e', ''] };
    const tools = await openTools([{ mcp: far }], { data: '/nowhere', clean, pins });
    await (await storePins(one, clean)).change(new Map([['sly/look', () => pinned]]));
    expect(pins.get('sly/look')).toBeUndefined();
    vi.advanceTimersByTime(10_000);
    await vi.waitFor(() => expect(pins.get('sly/look')).toEqual(pinned));
    await tools.close();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
