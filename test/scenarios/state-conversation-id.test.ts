import { expect, test } from 'vitest';
import { strategyContract } from '../state/strategy.contract.ts';

strategyContract(
  {
    agent: 'conversation-id',
    sentWhenKilled: 1,
    getsWhatItWaitedFor: true,
    leaves: () => ({ ums_conversation_id: expect.stringMatching(/^conversation-\d+$/) }),
  },
  (stage) => {
    test('[K10] a conversation the agent has forgotten is created again, once, and then goes on', async () => {
      const { talk, agents, to } = stage();
      await talk.ask(to('one'));
      await agents['conversation-id'].post('/forget');
      await agents['conversation-id'].restart();
      const tree = await talk.over(await talk.start(to('two')));
      const [lost, found, ...more] = await talk.requests('conversation-id', to('two'));
      expect([more, found?.id === lost?.id]).toEqual([[], false]);
      expect(tree.notices.map(({ code }) => code)).toContain('CONVERSATION_RENEWED');
      await talk.reopen();
      for (const text of ['three', 'four']) {
        await talk.over(await talk.start(to(text)));
        const sent = await talk.requests('conversation-id', to(text));
        expect(sent).toEqual([{ id: found?.id, content: to(text) }]);
      }
    });
  },
);
