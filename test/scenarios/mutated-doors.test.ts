import { expect, test } from 'vitest';
import type { Answered } from '../serving.ts';
import { decidingDoors, type DecidingDoor } from '../deciding-doors.ts';
import type { Request } from '../deciding-requests.ts';
import {
  mutatedNames,
  payingWorld,
  payments,
  questionAt,
  shownBy,
  startPaying,
  type Scene,
} from '../paying.ts';

/** Which wrong names are wrong at a door that reads no more than this of them. */
const wrong: Readonly<Record<DecidingDoor['reads'], readonly string[]>> = {
  name: Object.keys(mutatedNames({ run: '', asked: asking('a1'), other: asking('a2'), spent: asking('a3') })),
  fingerprint: ['one other digit', 'half a fingerprint'],
  'fingerprint in a run': ['one other digit', 'half a fingerprint', 'the fingerprint of another run'],
};

test.for(decidingDoors)('[V50] [S39] $name: mutated decisions let nothing happen', async (door) => {
  const { at, ledger } = await payingWorld();
  const other = await questionAt(at, await startPaying(at, [{ amount: -1 }]), 1);
  let sent = 0;
  for (const [round, payment] of payments.entries()) {
    const run = await (door.start ?? startPaying)(at, [payment(round), payment(round + 10)]);
    const spent = await questionAt(at, run, 1);
    const seen = await shownBy(at, spent);
    const first = await at.ask(`/api/approvals/${spent.id}`, {
      json: { decision: 'approve', fingerprint: spent.fingerprint },
    });
    expect(first.status).toBe(200);
    const asked = await questionAt(at, run, 2);
    expect(ledger.at(-1)).toEqual(seen);
    const scene: Scene = { run, asked, other, spent };
    const before = [...ledger];
    for (const [what, request] of mutations(door, scene)) {
      const answer = await at.ask(request.path, request);
      expect([what, isRefused(door, answer) || answer.text]).toEqual([what, true]);
      expect(ledger, what).toEqual(before);
      const now = (await at.ask(`/api/approvals/${asked.id}`)).json;
      expect(now, what).toMatchObject({ status: 'undecided', fingerprint: asked.fingerprint });
      sent += 1;
    }
    const expected = await shownBy(at, asked);
    const { path, ...right } = door.approve(scene, asked);
    const decided = await at.ask(path, right);
    expect([isRefused(door, decided), decided.text]).toEqual([false, decided.text]);
    await at.ask(`/api/runs/${run}/events`);
    expect(ledger).toEqual([...before, expected]);
  }
  expect(sent).toBeGreaterThanOrEqual(payments.length * 2);
  expect(ledger).not.toContainEqual({ amount: -1 });
  expect(at.problems).toEqual([]);
});

function mutations(door: DecidingDoor, scene: Scene): readonly (readonly [string, Request])[] {
  const names = Object.entries(mutatedNames(scene)).filter(([what]) => wrong[door.reads].includes(what));
  return [
    ...names.map(([what, named]) => [what, door.approve(scene, named)] as const),
    ...Object.entries(door.beside).map(([what, request]) => [what, request(scene)] as const),
  ];
}

function isRefused({ isRefused: told }: DecidingDoor, answer: Answered): boolean {
  return told?.(answer) ?? (answer.status >= 400 && answer.status < 500);
}

function asking(id: string): Scene['asked'] {
  return { id, fingerprint: id } as Scene['asked'];
}
