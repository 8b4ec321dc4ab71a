import { expect, test } from 'vitest';
import { callsFor, stateFor } from '../state/told-state.ts';
import { strategyContract } from '../state/strategy.contract.ts';

strategyContract(
  {
    agent: 'restore',
    sentWhenKilled: 2,
    getsWhatItWaitedFor: true,
    leaves: (question) => ({ is_gpa: true, gpa_messages: stateFor('restore', question) }),
  },
  (stage) => {
    test('[K15] of more exchanges than eight the newest eight come back, and it is said', async () => {
      const { talk, to } = stage();
      for (let i = 1; i <= 8; i += 1) await talk.ask(to(`message ${i}`));
      const { tree } = await talk.ask(to('message 9'));
      expect(
        tree.notices.map(({ code }) => code),
        'all eight were sent',
      ).not.toContain('HISTORY_BOUNDED');
      const last = await talk.start(to('message 10'));
      const bounded = await talk.over(last);
      const [request] = await talk.requests('restore', to('message 10'));
      expect(request?.messages?.map(({ content }) => content)).toEqual([
        ...[2, 3, 4, 5, 6, 7, 8, 9].flatMap((i) => [to(`message ${i}`), `heard ${to(`message ${i}`)}`]),
        to('message 10'),
      ]);
      expect(bounded.notices.map(({ code }) => code)).toContain('HISTORY_BOUNDED');
    });

    test('[K12] of seven calls the newest five come back, each with all of its results', async () => {
      const { talk, to } = stage();
      const question = to('calls=7');
      const { tree } = await talk.ask(question);
      expect(tree.notices.map(({ code }) => code)).toContain('STATE_PRUNED');
      await talk.over(await talk.start(to('next')));
      const [request] = await talk.requests('restore', to('next'));
      const kept = callsFor(question).slice(6);
      expect(request?.messages?.[1]).toEqual({
        role: 'assistant',
        content: `heard ${question}`,
        custom_content: { state: { tool_call_history: kept } },
      });
      const calls = kept.flatMap((message) => JSON.stringify(message).match(/"id":"[^"]+"/g) ?? []);
      const results = kept.flatMap(
        (message) => JSON.stringify(message).match(/"tool_call_id":"[^"]+"/g) ?? [],
      );
      expect([calls.length, results.length]).toEqual([10, 10]);
    });

    test('[K12] a state beyond its size does not come back, and one below it comes back whole', async () => {
      const { talk, to } = stage();
      const large = to('size=200000');
      await talk.ask(large);
      await talk.ask(to('after the large one'));
      await talk.reopen();
      await talk.ask(to('and again'));
      const over = await talk.ask(to('size=300000'), 'other');
      expect(over.tree.notices.map(({ code }) => code)).toContain('STATE_REFUSED');
      await talk.over(await talk.start(to('next'), 'other'));
      const [request] = await talk.requests('restore', to('next'));
      expect(request?.messages).toEqual([
        { role: 'user', content: to('size=300000') },
        { role: 'assistant', content: `heard ${to('size=300000')}` },
        { role: 'user', content: to('next') },
      ]);
    });
  },
);
