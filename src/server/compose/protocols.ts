import { agUiProtocol } from '../../projections/ag-ui/protocol.ts';
import { ownProtocols } from '../../projections/own-protocols.ts';
import { agUiProtobuf } from '../doors/ag-ui-protobuf.ts';
import type { Protocol } from '../viewers/channels.ts';

/** How runs are told to those who watch, by the name they ask for. */
export const protocols: readonly Protocol[] = Object.values({
  ...ownProtocols,
  'ag-ui': agUiProtocol(agUiProtobuf()),
});
