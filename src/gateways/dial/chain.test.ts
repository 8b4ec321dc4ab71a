import { chainContract } from '../../../test/chain/contract.ts';

chainContract('dial', {
  mirrors: '[A40]',
  rejects: '[A40]',
  stops: '[A41]',
  stopsAsking: '[NE1]',
  goesAway: '[NE3]',
});
