// The official processors of A2UI, without a screen: they throw on what is out of order.
import { A2uiMessageProcessor } from '@a2ui/web_core/v0_8';
import { Catalog, MessageProcessor } from '@a2ui/web_core/v0_9';
import { basicCatalog } from '@a2ui/web_core/v0_9/basic_catalog';
import type { KeyedMessage, PlainMessage } from '../../src/wire/a2ui.ts';
import type { Version } from './schemas.ts';

export interface SurfaceClient {
  take(data: string): void;
  /** What is on the screen, as plain data; undefined without a surface. */
  state(): unknown;
}

export function surfaceClient(version: Version, surface: string): SurfaceClient {
  return version === 'a2ui-0.8' ? keyedClient(surface) : plainClient(surface);
}

function keyedClient(surface: string): SurfaceClient {
  const processor = new A2uiMessageProcessor();
  return {
    take: (data) => processor.processMessages([JSON.parse(data) as KeyedMessage as never]),
    state() {
      const shown = processor.getSurfaces().get(surface);
      return shown && { components: plain(shown.componentTree), data: withoutEmpty(plain(shown.dataModel)) };
    },
  };
}

/** A list that was never filled and one that is empty look the same; the order of what is shown is that of the components. */
function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const parts = Object.entries(value).map(([key, part]) => [key, withoutEmpty(part)] as const);
  const filled = parts.filter(([, part]) => JSON.stringify(part) !== '{}');
  return Object.fromEntries(filled.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** No package renders 1.0 yet: what its one message says is given to the processor of 0.9 in three. */
function plainClient(surface: string): SurfaceClient {
  const { id, components, functions } = basicCatalog;
  const next = new Catalog(id.replace('v0_9', 'v1_0'), [...components.values()], [...functions.values()]);
  const processor = new MessageProcessor([basicCatalog, next]);
  return {
    take(data) {
      const message = JSON.parse(data) as PlainMessage;
      processor.processMessages(inParts(message) as never);
    },
    state() {
      const shown = processor.model.getSurface(surface);
      if (!shown) return undefined;
      const all = [...shown.componentsModel.entries].map(([name, part]) => [name, part.properties]);
      return { components: all, data: structuredClone(shown.dataModel.get('/')) as unknown };
    },
  };
}

function inParts(message: PlainMessage): readonly object[] {
  const { version, createSurface } = message;
  if (!createSurface?.components) return [message];
  const { surfaceId, catalogId, components, dataModel } = createSurface;
  return [
    { version, createSurface: { surfaceId, catalogId } },
    { version, updateComponents: { surfaceId, components } },
    { version, updateDataModel: { surfaceId, path: '/', value: dataModel } },
  ];
}

function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, part]) => [key, plain(part)]));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]));
}
