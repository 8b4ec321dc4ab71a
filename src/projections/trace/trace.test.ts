import { describe, expect, test } from 'vitest';
import { ask, begin, resultsIn, say, talk, type Conversation } from '../../../test/conversation.ts';
import { ended, entriesOf, toolOf, until } from '../../../test/world.ts';
import { closed, journal, opened, started } from '../../../test/journal.ts';
import type { Entry, EventOf, RunEvent } from '../../run/events.ts';
import { foldAll } from '../../run/entries.ts';
import { goOn } from '../../run/tool-pause.ts';
import { TraceEvent, type TraceType } from '../../wire/trace.ts';
import { projectAll } from '../projection.ts';
import { projectionContract } from '../projection.contract.ts';
import { withPrompts } from './prompts.ts';
import { traceProjection } from './trace.ts';

projectionContract('trace', traceProjection('run_1'));

function traceOf(run: string, entries: readonly Entry[]): readonly TraceEvent[] {
  return projectAll(traceProjection(run), entries)[1];
}

async function traced(conversation: Conversation) {
  const { world, run } = await talk(conversation);
  const entries = await entriesOf(world.store, run);
  return { run, entries, events: traceOf(run, entries) };
}

const list = toolOf('list_files', () => ['a.md']);
const labels = { requestId: 'req_1', projectId: 'P7' };
const looping: Conversation = {
  model: ({ tools }) => (tools ? [say('Let me see. '), ask('list_files', {})] : [say('One file.')]),
  tools: [list],
  request: { labels, input: { text: 'What is there?' } },
};

function told({ type, summary, details, phaseIndex, cycleIndex }: TraceEvent): string {
  const phase =
    typeof details['phase'] === 'string' ? ` [${details['phase']} ${phaseIndex}/${cycleIndex}]` : '';
  return `${type}${phase}: ${summary}`;
}

describe('the trace of a message that a person is asked about', () => {
  const turn = opened(1, 0, { kind: 'turn', agent: 'users', effect: 'once' });
  const question: RunEvent = {
    type: 'approval.requested',
    approval: 'a-1',
    step: 1,
    title: 'users',
    fingerprint: 'f',
    priority: 'high',
    allowed: ['approve', 'reject', 'edit'],
    arguments: 'delete all',
  };
  const decision = (more: Partial<EventOf<'approval.decided'>>): RunEvent => ({
    type: 'approval.decided',
    approval: 'a-1',
    decision: 'edit',
    by: 'local',
    ...more,
  });

  test('[P92] [P93] has the call where it was sent, and what a person made of it', () => {
    const sent = [
      decision({ arguments: 'delete Ann' }),
      { type: 'step.started', step: 1 },
      closed(1),
    ] as const;
    const events = traceOf('run_1', journal(started(), turn, question, ...sent));
    expect(events.map(({ type, summary }) => `${type}: ${summary}`)).toEqual([
      'user_message: Why is the link down?',
      'approval_requested: Asked a person: users',
      'approval_decided: local decided «edit»: delete Ann',
      'llm_call: Asked users',
      'llm_result: users said nothing',
    ]);
    expect(events[2]?.details).toMatchObject({ arguments: 'delete Ann' });
    expect(events[3]?.timestamp).toBe('2026-11-15T00:00:04.000Z');
  });

  test('[P92] says of one that was never sent that it was not', () => {
    const failure = { code: 'refused', message: 'local rejected «users».' } as const;
    const no = [decision({ decision: 'reject' }), closed(1, { outcome: 'skipped', failure })];
    const events = traceOf('run_1', journal(started(), turn, question, ...no));
    expect(events.slice(3)).toMatchObject([
      { type: 'llm_call', summary: 'Did not ask users', details: { attempt: 0 } },
      { type: 'llm_result', summary: 'local rejected «users».', error: failure },
    ]);
  });
});

describe('the trace of a conversation', () => {
  test('[C60] tells phases, calls, duplicates and answers in order', async () => {
    const { events } = await traced(looping);
    expect(events.map(told)).toMatchInlineSnapshot(`
      [
        "user_message: What is there?",
        "tool_registration: 1 tool: list_files",
        "orchestration_phase_start [tool_phase 0/0]: tool_phase of batch 1 begins",
        "llm_call [tool_phase 0/0]: Asked model",
        "llm_result [tool_phase 0/0]: Asked for list_files",
        "tool_call [tool_phase 0/0]: Called list_files",
        "tool_result [tool_phase 0/0]: list_files completed",
        "orchestration_phase_end [tool_phase 0/0]: tool_phase of batch 1 is over: executed",
        "phase_transition: From tool_phase to action_phase",
        "orchestration_phase_start [action_phase 1/0]: action_phase of batch 1 begins",
        "llm_call [action_phase 1/0]: Asked model",
        "llm_result [action_phase 1/0]: Asked for list_files",
        "orchestration_phase_end [action_phase 1/0]: action_phase of batch 1 is over: tool_calls_produced",
        "phase_transition: From action_phase to tool_phase",
        "orchestration_phase_start [tool_phase 2/1]: tool_phase of batch 2 begins",
        "tool_call [tool_phase 2/1]: Asked for list_files",
        "duplicate_tool_call [tool_phase 2/1]: list_files was asked for again; an earlier outcome is used",
        "tool_result [tool_phase 2/1]: list_files reused",
        "orchestration_phase_end [tool_phase 2/1]: tool_phase of batch 2 is over: duplicate_blocked",
        "phase_transition: From tool_phase to action_phase",
        "orchestration_phase_start [action_phase 3/1]: action_phase of batch 2 begins",
        "llm_call [action_phase 3/1]: Asked model",
        "llm_result [action_phase 3/1]: Asked for list_files",
        "orchestration_phase_end [action_phase 3/1]: action_phase of batch 2 is over: tool_calls_produced",
        "phase_transition: From action_phase to tool_phase",
        "orchestration_phase_start [tool_phase 4/1]: tool_phase of batch 3 begins",
        "tool_call [tool_phase 4/1]: Asked for list_files",
        "duplicate_tool_call [tool_phase 4/1]: list_files was asked for again; an earlier outcome is used",
        "tool_result [tool_phase 4/1]: list_files reused",
        "orchestration_phase_end [tool_phase 4/1]: tool_phase of batch 3 is over: duplicate_blocked",
        "phase_transition: From tool_phase to action_phase",
        "orchestration_phase_start [action_phase 5/1]: action_phase of batch 3 begins",
        "llm_call [action_phase 5/1]: Asked model",
        "llm_result [action_phase 5/1]: Asked for list_files",
        "orchestration_phase_end [action_phase 5/1]: action_phase of batch 3 is over: tool_calls_produced",
        "phase_transition: From action_phase to tool_phase",
        "orchestration_phase_start [tool_phase 6/1]: tool_phase of batch 4 begins",
        "tool_call [tool_phase 6/1]: Asked for list_files",
        "duplicate_tool_call [tool_phase 6/1]: list_files was asked for again; an earlier outcome is used",
        "tool_result [tool_phase 6/1]: list_files reused",
        "orchestration_phase_end [tool_phase 6/1]: tool_phase of batch 4 is over: duplicate_exceeded",
        "phase_transition: From tool_phase to action_phase",
        "orchestration_phase_start [action_phase 7/1]: action_phase of batch 4 begins",
        "llm_call [action_phase 7/1]: Asked model",
        "llm_result [action_phase 7/1]: One file.",
        "orchestration_phase_end [action_phase 7/1]: action_phase of batch 4 is over: completed",
        "phase_transition: From action_phase to complete",
        "orion_response: One file.",
      ]
    `);
  });

  test('[C60] every event is complete: a summary, one request, the project, and 0 is 0', async () => {
    const { events, run } = await traced(looping);
    for (const event of events) expect(TraceEvent.safeParse(event).error).toBeUndefined();
    expect(new Set(events.map(({ requestId, metadata }) => `${requestId} ${metadata.requestId}`))).toEqual(
      new Set(['req_1 req_1']),
    );
    expect(new Set(events.map(({ projectId }) => projectId))).toEqual(new Set(['P7']));
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(events.every(({ id }) => id.startsWith(run))).toBe(true);
    const [first] = events.filter(({ type }) => type === 'orchestration_phase_start');
    expect(first).toMatchObject({
      phaseIndex: 0,
      cycleIndex: 0,
      details: { phase: 'tool_phase', toolBatchId: 1 },
    });
  });

  test('[C61] a duplicate says what it repeats, and when that was', async () => {
    const { events } = await traced(looping);
    const [duplicate] = events.filter(({ type }) => type === 'duplicate_tool_call');
    const [first] = events.filter(({ type }) => type === 'tool_result');
    expect(duplicate).toMatchObject({
      source: 'system',
      toolName: 'list_files',
      details: {
        toolName: 'list_files',
        duplicate: true,
        blocked: true,
        requestId: 'req_1',
        reason: 'signature_seen_recently_in_request',
        previous_timestamp: first?.timestamp,
      },
    });
  });

  test('[C60] without names of its own the request is the run and the project is the app', async () => {
    const { events, run } = await traced({ ...looping, request: {} });
    expect(events[0]).toMatchObject({ requestId: run, projectId: 'test' });
  });

  test('[C62] a restart changes nothing: the same entries give the same trace, also from text', async () => {
    const { entries, events, run } = await traced(looping);
    const reread = JSON.parse(JSON.stringify(entries)) as Entry[];
    expect(traceOf(run, reread)).toEqual(events);
  });

  test('[C60] failures, refusals, misfits and follow-ups are told too', async () => {
    const gate = Promise.withResolvers<void>();
    const slow = toolOf('slow', async () => {
      await gate.promise;
      return 'x'.repeat(3_000);
    });
    const { world, engine, run } = await begin({
      model: ({ messages }) => {
        const seen = resultsIn(messages);
        if (seen === 0) return [ask('slow', {})];
        if (seen === 1) return [ask('unheard_of', {})];
        return [{ type: 'fail', code: 'unavailable', message: 'The model is down.' }];
      },
      tools: [slow],
      request: { labels },
    });
    const over = new AbortController();
    const working = engine.work(over.signal);
    await until(world.store, run, ({ working: count }) => count === 1);
    await engine.send(run, { type: 'message', by: 'ann', text: 'Hurry.' });
    await until(world.store, run, ({ messages }) => messages.size === 1);
    gate.resolve();
    await ended(world.store, run);
    over.abort();
    await working;
    const events = traceOf(run, await entriesOf(world.store, run));
    const of = (type: TraceType): TraceEvent[] => events.filter((event) => event.type === type);
    expect(of('user_message').map(({ summary }) => summary)).toEqual(['hello', 'Hurry.']);
    const [result, misfit] = of('tool_result');
    expect(String(result?.details['result'])).toMatch(/^"x{1199}… \(3002 in all\)$/);
    expect(misfit).toMatchObject({ toolName: 'unheard_of', error: { code: 'malformed' } });
    expect(of('llm_result').filter(({ error }) => error)).toHaveLength(2);
    expect(of('system_error').map(({ error }) => error?.code)).toEqual(['TURN_FAILED']);
    const [starts, ends] = [of('orchestration_phase_start'), of('orchestration_phase_end')];
    expect(ends).toHaveLength(starts.length);
    expect(ends.every(({ details }) => typeof details['reason'] === 'string')).toBe(true);
  });

  test('[C60] a run that fails or is stopped ends its phase', async () => {
    const { events } = await traced({
      model: () => [{ type: 'fail', code: 'unavailable', message: 'The model is down.' }],
      tools: [list],
    });
    const ends = events.slice(-3);
    expect(
      ends.map(({ type, details }) => [type, details['reason'] ?? details['code'] ?? details['outcome']]),
    ).toEqual([
      ['orchestration_phase_end', 'failed'],
      ['system_error', 'unavailable'],
      ['orion_response', 'failed'],
    ]);
  });

  test('[P30] a duplicate that was blocked was attempted no time, and what worked once', async () => {
    const { events } = await traced(looping);
    const attempts = events.flatMap(({ details }) => details['attempts'] ?? []);
    expect(attempts).toEqual([1, 0, 0, 0]);
    const calls = events.filter(({ type }) => type === 'tool_call');
    expect(calls.map(({ details }) => details['attempt'])).toEqual([1, 0, 0, 0]);
  });

  test('[P31] tells questions, decisions, pause, resume, stop and the answer', async () => {
    const { world, engine, run } = await begin({ ...looping, rules: { pauseAfterTool: true } });
    const over = new AbortController();
    const working = engine.work(over.signal);
    const tree = await until(world.store, run, ({ undecided }) => undecided === 1);
    await engine.send(run, { type: 'pause', by: 'ann', reason: 'lunch' });
    await engine.send(run, goOn(tree, 'bob'));
    await engine.send(run, { type: 'resume', by: 'ann' });
    await until(world.store, run, ({ undecided, approvals }) => approvals.size === 2 && undecided === 1);
    await engine.send(run, { type: 'stop', by: 'ann' });
    await ended(world.store, run);
    over.abort();
    await working;
    const events = traceOf(run, await entriesOf(world.store, run));
    for (const event of events) expect(TraceEvent.safeParse(event).error).toBeUndefined();
    const control = events.filter(({ type }) => /^(?:approval|run)_|^orion/.test(type));
    expect(control.map(told)).toEqual([
      'approval_requested: Asked a person: Go on with the results of batch 1?',
      'run_paused: ann paused the run: lunch',
      'approval_decided: bob decided «approve»',
      'run_resumed: ann resumed the run',
      'approval_requested: Asked a person: Go on with the results of batch 2?',
      'run_stopped: ann stopped the run',
      'orion_response: The run ended without an answer (stopped)',
    ]);
  });

  test('[P32] a model call has what was sent: the system prompt, the messages, the tools', async () => {
    const { world, run } = await talk(looping);
    const entries = await entriesOf(world.store, run);
    const load = (blob: string) => world.store.blobs.get('local', blob);
    const events = await withPrompts(traceOf(run, entries), foldAll(entries), load);
    const calls = events.filter(({ type }) => type === 'llm_call').map(({ details }) => details);
    expect(calls[0]).toMatchObject({
      systemPrompt: 'Be exact.',
      messages: [{ role: 'user', content: 'What is there?' }],
      tools: ['list_files'],
    });
    expect(calls[1]?.['messages']).toMatchObject([
      { role: 'user' },
      { role: 'system', content: expect.stringContaining('TOOL RESULT: list_files') },
      { role: 'system' },
    ]);
    expect(calls.at(-1)).toMatchObject({ tools: [] });
    const without = await withPrompts(traceOf(run, entries), foldAll(entries), async () => undefined);
    expect(without).toEqual(traceOf(run, entries));
  });
});
