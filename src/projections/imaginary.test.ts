import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { imaginary, imaginaryProjection, nameOf, steps, type Told } from '../../test/imaginary.ts';
import { callTo, closed, ended, journal, opened, retried, said, started } from '../../test/journal.ts';
import { plausibleRun } from '../../test/plausible-run.ts';
import type { Entry, RunEvent } from '../run/events.ts';
import { foldAll, decodeAll } from '../run/entries.ts';
import { isOpen, textOf, type RunTree } from '../run/tree.ts';
import type { BinaryFrame } from '../wire/framing.ts';
import { ownProtocols } from './own-protocols.ts';
import type { Telling } from './projection.ts';
import { projectionContract } from './projection.contract.ts';

projectionContract('imaginary', imaginaryProjection);

/** A client of it, which bears nothing that is out of order. */
class Client {
  readonly open = new Map<string, string>();
  readonly texts = new Map<string, string>();
  readonly ends = new Map<string, string>();
  answer: string | undefined;

  hear(frame: BinaryFrame): void {
    const told = JSON.parse(new TextDecoder().decode(frame.data)) as Told;
    expect(this.answer, 'nothing comes after the end').toBeUndefined();
    if ('open' in told) {
      expect(this.texts.has(told.open), `${told.open} opens once`).toBe(false);
      this.open.set(told.open, told.in);
      this.texts.set(told.open, '');
    } else if ('text' in told) {
      if (told.in !== 's0') expect(this.open.has(told.in), `text in ${told.in}`).toBe(true);
      this.texts.set(told.in, (this.texts.get(told.in) ?? '') + told.text);
    } else if ('close' in told) {
      expect(this.open.delete(told.close), `${told.close} was open`).toBe(true);
      expect([...this.open.values()], `all in ${told.close} is closed`).not.toContain(told.close);
      this.ends.set(told.close, told.how);
    } else if ('end' in told) {
      expect([...this.open.keys()], 'open at the end').toEqual([]);
      this.answer = told.answer;
    }
  }

  /** How the steps stand that count. */
  state(tree: RunTree): unknown {
    const all = [...steps(tree)].map((step) => nameOf(step));
    return {
      steps: all.map((name) => [name, this.texts.get(name), this.ends.get(name)]),
      answer: this.answer,
    };
  }
}

function watched(entries: readonly Entry[], client = new Client()): Client {
  const telling = imaginary.telling({ run: 'r' });
  for (const entry of entries) for (const frame of telling.tell(entry)) client.hear(frame);
  return client;
}

function expectTold(entries: readonly Entry[]): void {
  const tree = foldAll(entries);
  const client = watched(entries);
  const known = [...steps(tree)].map((step) => [
    nameOf(step),
    textOf(step),
    isOpen(step) ? undefined : step.status,
  ]);
  expect(client.state(tree)).toEqual({ steps: known, answer: tree.ended && plain(tree.ended.answer) });
}

function plain(answer: unknown): string {
  return typeof answer === 'string' ? answer : '';
}

const golden = new URL('../../test/golden/1/', import.meta.url);

test('[P66] it takes less than 120 lines', () => {
  const lines = readFileSync(new URL('../../test/imaginary.ts', import.meta.url), 'utf8').split('\n');
  expect(lines.length).toBeLessThan(120);
  expect(lines.join('\n')).not.toMatch(/retried|superseded|isImplied|abandoned/);
});

describe('[P66] a protocol that knows nothing of attempts and closings', () => {
  test('tells every golden journal in order, and what counts of it', () => {
    const names = readdirSync(golden).filter((name) => name.endsWith('.journal'));
    for (const name of names) expectTold(decodeAll(readFileSync(new URL(name, golden), 'utf8')));
    expect(names.length).toBeGreaterThan(5);
  });

  test('tells any run as the engine writes it', () => {
    fc.assert(fc.property(plausibleRun, expectTold), { numRuns: 200 });
  });

  test('tells a run that was tried again, nested, at once and stopped', () => {
    const stop: RunEvent = { type: 'stop.requested', by: 'ada' };
    const first = [started(), opened(1, 0), opened(2, 1, callTo('a', {})), opened(3, 1), said(2, 'half')];
    const again = [retried(1), opened(4, 1), opened(5, 1), said(4, 'x'), said(5, 'y'), retried(4)];
    const last = [opened(6, 4), said(4, 'z'), said(2, 'late'), closed(5), stop];
    const end = ended('Half of it.', { outcome: 'stopped' });
    const entries = journal(...first, ...again, ...last, end);
    expectTold(entries);
    const client = watched(entries);
    expect(client.texts.get('s4.2')).toBe('z');
    expect(Object.fromEntries(client.ends)).toMatchObject({
      s2: 'abandoned',
      s4: 'abandoned',
      's4.2': 'stopped',
    });
  });
});

test('[P67] one who joins without a cursor comes to the same end', () => {
  fc.assert(
    fc.property(plausibleRun, fc.nat(), (entries, cut) => {
      const place = cut % entries.length;
      const client = new Client();
      const before = entries.slice(0, place);
      for (const frame of imaginary.prelude?.(foldAll(before), { run: 'r' }) ?? []) client.hear(frame);
      const telling = imaginary.telling({ run: 'r' });
      for (const entry of before) telling.tell(entry);
      for (const entry of entries.slice(place)) for (const frame of telling.tell(entry)) client.hear(frame);
      const tree = foldAll(entries);
      expect(client.state(tree)).toEqual(watched(entries).state(tree));
    }),
    { numRuns: 200 },
  );
});

test('[P68] an answer ends with the run, or at a question; a block has all of it; errors are its own', () => {
  const about = { approval: 'a', step: 1, title: 'May I?', fingerprint: 'f' };
  const asked: RunEvent = { type: 'approval.requested', ...about, priority: 'low', allowed: ['approve'] };
  const entries = journal(started(), opened(1, 0), asked, closed(1), ended('Yes.'));
  const overAt = (telling: Telling<unknown>): number[] =>
    entries.flatMap((entry) => (telling.tell(entry), telling.isOver ? [entry.seq] : []));
  expect(overAt(imaginary.telling({ run: 'r' }))).toEqual([3, 5]);
  expect(overAt(ownProtocols.execution.telling({ run: 'r' }))).toEqual([5]);
  expect(imaginary.block?.(entries, 3, { run: 'r' })).toEqual({ answer: 'Yes.' });
  expect(imaginary.error({ code: 'unknown', message: 'No.' })).toEqual({ sorry: 'No.' });
  expect(ownProtocols.steps.error({ code: 'unknown', message: 'No.' })).toEqual({
    error: { code: 'unknown', message: 'No.' },
  });
});
