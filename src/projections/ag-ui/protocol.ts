import type { AgUiEvent } from '../../wire/ag-ui.ts';
import type { Framing } from '../../wire/framing.ts';
import type { SseFrame } from '../../wire/sse-frame.ts';
import type { Protocol } from '../projection.ts';
import { protocol } from '../protocol.ts';
import { agUiProjection } from './ag-ui.ts';
import { agUiDoors } from './doors.ts';
import { agUiPrelude } from './prelude.ts';
import type { AgUiPlace } from './scene.ts';

/** Front ends that speak AG-UI; in its binary form, too, to those who ask for it where there is one. */
export function agUiProtocol(protobuf?: Framing): Protocol<SseFrame, Framing> {
  return protocol<AgUiPlace, AgUiEvent, SseFrame>({
    name: 'ag-ui',
    projection: agUiProjection,
    write: (event) => ({ data: JSON.stringify(event) }),
    ends: 'question',
    prelude: agUiPrelude,
    doors: agUiDoors(protobuf),
  });
}
