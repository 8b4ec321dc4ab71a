import { strategyContract } from '../state/strategy.contract.ts';

strategyContract({ agent: 'stateless', sentWhenKilled: 2, getsWhatItWaitedFor: true, leaves: () => ({}) });
