import type { EventOf } from '../../run/events.ts';
import type { Attachment } from '../../run/values.ts';
import type { AiSdkChunk } from '../../wire/ai-sdk.ts';
import { stepName } from '../nested.ts';
import { tell, type AiSdkScene, type AiSdkStep } from './scene.ts';

/** What hangs on a step: a file, a source, or data under its name. */
export function attached(scene: AiSdkScene, { item }: EventOf<'item.attached'>, { id }: AiSdkStep): void {
  scene.memory.items += 1;
  const name = `i${scene.memory.items}`;
  const step = stepName(id);
  switch (item.kind) {
    case 'attachment':
      return tell(scene, fileOf(item.attachment, name, step));
    case 'citation': {
      const { title, url } = item;
      if (url !== undefined) return tell(scene, { type: 'source-url', sourceId: name, url, title });
      return tell(scene, { type: 'source-document', sourceId: name, mediaType: 'text/plain', title });
    }
    case 'visualization':
    case 'action':
      return tell(scene, { type: `data-${item.kind}`, id: name, data: { ...item, step } });
  }
}

function fileOf(attachment: Attachment, name: string, step: string | undefined): AiSdkChunk {
  const { type: mediaType, url, data, blob } = attachment;
  const where = url ?? (data === undefined ? blob && `/api/files/${blob.blob}` : dataUrl(mediaType, data));
  if (where === undefined) return { type: 'data-attachment', id: name, data: { ...attachment, step } };
  return { type: 'file', url: where, mediaType: mediaType || 'application/octet-stream' };
}

/** Text stands for itself; of anything else the data is base64. */
function dataUrl(type: string, data: string): string {
  const isText = type === '' || type.startsWith('text/') || type.endsWith('json');
  const media = type.replaceAll(/[,\s]/g, '') || 'text/plain';
  return isText
    ? `data:${media};charset=utf-8,${encodeURIComponent(data.toWellFormed())}`
    : `data:${media};base64,${data}`;
}
