import type { PlainMessage } from '../../wire/a2ui.ts';
import { surfaceParts, type Part, type Size } from './components.ts';
import type { Change, Dialect, Fields, Item, Path } from './surface.ts';

type Version = PlainMessage['version'];

/** A2UI 0.9 and 1.0: components with plain properties, data as JSON, items by their number. */
export function plainDialect(version: Version): Dialect<PlainMessage> {
  const components = surfaceParts().map((part) => component(part, version));
  const catalogId = `https://a2ui.org/specification/${version.replace('.', '_')}/catalogs/basic/catalog.json`;
  const begin = (surfaceId: string, data: Fields): readonly PlainMessage[] => {
    const value = plainFields(data);
    if (version === 'v1.0')
      return [{ version, createSurface: { surfaceId, catalogId, components, dataModel: value } }];
    return [
      { version, createSurface: { surfaceId, catalogId } },
      { version, updateComponents: { surfaceId, components } },
      { version, updateDataModel: { surfaceId, path: '/', value } },
    ];
  };
  return (surfaceId, change) => {
    switch (change.type) {
      case 'begin':
        return begin(surfaceId, change.data);
      case 'put':
        return [
          { version, updateDataModel: { surfaceId, path: pointer(change.path), value: plain(change.value) } },
        ];
      case 'delete':
        return [{ version, deleteSurface: { surfaceId } }];
    }
  };
}

function pointer(path: Path): string {
  return path.map((part) => `/${typeof part === 'string' ? part : part.index}`).join('');
}

function plain(value: Extract<Change, { type: 'put' }>['value']): unknown {
  if (typeof value === 'string') return value;
  return isList(value) ? value.map(({ fields }) => plainFields(fields)) : plainFields(value);
}

function plainFields(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plain(value)]));
}

function isList(value: Fields | readonly Item[]): value is readonly Item[] {
  return Array.isArray(value);
}

function component(part: Part, version: Version): object {
  const { id } = part;
  switch (part.is) {
    case 'Column':
    case 'Row':
      return { id, component: part.is, children: part.children };
    case 'List':
      return { id, component: part.is, children: { componentId: part.template, path: part.path } };
    case 'Card':
      return { id, component: part.is, child: part.child };
    case 'Text':
      return {
        id,
        component: part.is,
        text: { path: part.path },
        variant: variant(part.size, version),
        ...(part.weight && { weight: part.weight }),
      };
    case 'Button': {
      const { name, context } = part.decides;
      const bound = Object.entries(context).map(([key, path]) => [key, { path }]);
      const event = { name, context: Object.fromEntries(bound) as object };
      return { id, component: part.is, child: part.child, action: { event } };
    }
  }
}

/** Version 1.0 has no headings. */
function variant(size: Size, version: Version): string {
  return version === 'v1.0' && size !== 'caption' ? 'body' : size;
}
