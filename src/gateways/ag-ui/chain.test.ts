import { chainContract } from '../../../test/chain/contract.ts';

chainContract('ag-ui', {
  mirrors: '[GU1]',
  rejects: '[GU2]',
  stops: '[GU3]',
  stopsAsking: '[NE1]',
  goesAway: '[NE3] [GU3]',
});
