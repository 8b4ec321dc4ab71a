import { chainContract } from '../../../test/chain/contract.ts';

chainContract('a2a', {
  mirrors: '[GA1]',
  rejects: '[GA2]',
  stops: '[GA3]',
  stopsAsking: '[NE1]',
  goesAway: '[NE3] [GA3]',
});
