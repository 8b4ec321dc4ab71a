import { EventEncoder } from '@ag-ui/encoder';
import { bytesOf, type Framing } from '../../wire/framing.ts';
import { protobufType } from '../../wire/ag-ui.ts';

type Encoded = Parameters<EventEncoder['encodeBinary']>[0];

/** Events of AG-UI in its binary form, by the official encoder: each with its length in front. */
export function agUiProtobuf(): Framing {
  const encoder = new EventEncoder({ accept: protobufType });
  return {
    name: 'ag-ui-protobuf',
    isBinary: true,
    type: protobufType,
    text: (frames) =>
      frames
        .map(({ data }) =>
          typeof data === 'string' ? encoder.encodeBinary(JSON.parse(data) as Encoded) : data,
        )
        .map(bytesOf)
        .join(''),
  };
}
