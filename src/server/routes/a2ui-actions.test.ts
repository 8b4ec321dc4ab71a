import { expect, test } from 'vitest';
import { surfaceClient } from '../../../test/a2ui/clients.ts';
import { fromRenderer } from '../../../test/a2ui/schemas.ts';
import { appWith, serving, textAt, untilAnswer } from '../../../test/serving.ts';
import type { Json } from '../../run/values.ts';

/** A run that waits for a person to let a message be sent. */
async function asked() {
  const sent: string[] = [];
  const talk = appWith(async (scope, text) => {
    const { decision } = await scope.ask({
      title: 'Send it?',
      arguments: { text },
      allowed: ['approve', 'reject', 'defer'],
    });
    if (decision === 'approve') sent.push(text);
    return `${decision}d`;
  });
  const at = await serving({ config: { apps: { talk } } });
  const run = textAt(await at.ask('/api/runs', { json: { input: { text: 'hello' } } }), 'run');
  const found = await untilAnswer(
    () => at.ask(`/api/approvals?run=${run}`),
    ({ text }) => text.includes(`${run}.a1`),
  );
  const id = textAt(found, 'approvals', 0, 'id');
  const name = `${id}~${textAt(found, 'approvals', 0, 'fingerprint')}`;
  const act = (json: Json) => at.ask(`/api/runs/${run}/a2ui/actions`, { json });
  return { at, run, name, id, act, sent };
}

function action(surfaceId: string, context: Json, name = 'decide'): { [key: string]: Json } {
  return { name, surfaceId, sourceComponentId: 'choice', timestamp: '2026-11-17T08:00:00.000Z', context };
}

const forms = [
  { version: 'a2ui-0.8', wrap: (one: Json) => ({ userAction: one }) },
  { version: 'a2ui-0.9', wrap: (one: Json) => ({ version: 'v0.9', action: one }) },
  { version: 'a2ui-1.0', wrap: (one: Json) => ({ version: 'v1.0', action: one }) },
] as const;

test.for(forms)('[UI8] an action of $version decides what it names, once', async ({ version, wrap }) => {
  const { at, run, name, id, act, sent } = await asked();
  const told = wrap(action(run, { approvalId: name, decision: 'approve' }));
  expect(fromRenderer[version](told), JSON.stringify(fromRenderer[version].errors)).toBe(true);
  const { status, json } = await act(told);
  expect([status, json]).toEqual([200, { run, approval: id, decision: 'approve', heard: true }]);
  expect((await act(told)).status).toBe(200);
  const stream = await at.ask(`/api/runs/${run}/events?as=${version}`);
  const client = surfaceClient(version, run);
  for (const [, data = ''] of stream.text.matchAll(/^data: (.*)$/gm)) client.take(data);
  expect(JSON.stringify(client.state())).toContain('approved');
  expect(sent).toEqual(['hello']);
});

test('[UI8] an action that does not name what was shown, or cannot be understood, changes nothing', async () => {
  const { run, name, id, act, sent } = await asked();
  const decide = (context: Json, more: { [key: string]: Json } = {}) => ({
    version: 'v0.9',
    action: { ...action(run, context), ...more },
  });
  const yes = { approvalId: name, decision: 'approve' };
  const refused: readonly (readonly [Json, number, RegExp])[] = [
    [decide({ ...yes, approvalId: id }), 400, /fingerprint: To approve, name the «fingerprint»/],
    [decide({ ...yes, approvalId: `${id}~other` }), 409, /What was shown is not what approval/],
    [decide({ ...yes, approvalId: 'run_x.a1~f' }), 404, /There is no approval/],
    [decide({ decision: 'approve' }), 400, /The context of the action does not fit: approvalId/],
    [decide({ ...yes, decision: 'edit' }), 400, /The context of the action does not fit: decision/],
    [decide(yes, { name: 'launch' }), 400, /name: «launch» is no action of this surface; there is «decide»/],
    [decide(yes, { surfaceId: 'other' }), 400, /surfaceId: «other» is not the surface of this run/],
    [{ action: action(run, yes) }, 400, /version: name it beside «action»/],
    [{ version: 'v0.9' }, 400, /action: send one «action»/],
    [
      { userAction: action(run, yes), version: 'v0.9', action: action(run, yes) },
      400,
      /action: send one «action»/,
    ],
    [{ version: 'v9', action: action(run, yes) }, 400, /The body does not fit: version/],
  ];
  for (const [json, status, says] of refused) {
    const answer = await act(json);
    expect([answer.status, textAt(answer, 'error', 'message')]).toEqual([
      status,
      expect.stringMatching(says),
    ]);
  }
  expect(
    (
      await act({
        version: 'v0.9',
        error: { code: 'VALIDATION_FAILED', surfaceId: run, path: '/', message: 'no' },
      })
    ).status,
  ).toBe(204);
  expect(sent).toEqual([]);
});
