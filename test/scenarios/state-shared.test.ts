import { strategyContract } from '../state/strategy.contract.ts';

strategyContract({
  agent: 'shared',
  sentWhenKilled: 2,
  getsWhatItWaitedFor: false,
  leaves: (question) => ({ shared_context: { last: question } }),
});
