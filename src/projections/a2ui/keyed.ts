import type { KeyedMessage, KeyedValue } from '../../wire/a2ui.ts';
import { surfaceParts, type Part } from './components.ts';
import type { Change, Dialect, Fields, Item, Path } from './surface.ts';

/** A2UI 0.8: components under their type, data as keys with typed values, items by their key. */
export const keyedDialect: Dialect<KeyedMessage> = (surfaceId, change) => {
  switch (change.type) {
    case 'begin':
      return [
        { surfaceUpdate: { surfaceId, components: surfaceParts().map(component) } },
        ...puts(surfaceId, [], change.data),
        { beginRendering: { surfaceId, root: 'root' } },
      ];
    case 'put':
      return puts(surfaceId, change.path, change.value);
    case 'delete':
      return [{ deleteSurface: { surfaceId } }];
  }
};

type Value = Extract<Change, { type: 'put' }>['value'];

/** A message holds one level of maps: what is deeper is put after it, under its own path. */
function puts(surfaceId: string, path: Path, value: Value): readonly KeyedMessage[] {
  const contents = contentsOf(value);
  const place = path.length === 0 ? {} : { path: pathText(path) };
  return [{ dataModelUpdate: { surfaceId, ...place, contents } }, ...below(surfaceId, path, value)];
}

function contentsOf(value: Value): readonly KeyedValue[] {
  if (typeof value === 'string') return [{ key: '.', valueString: safe(value) }];
  if (isList(value)) return value.map(({ key, fields }) => ({ key, valueMap: textsIn(fields) }));
  return textsIn(value);
}

function textsIn(fields: Fields): { readonly key: string; readonly valueString: string }[] {
  return Object.entries(fields).flatMap(([key, value]) =>
    typeof value === 'string' ? [{ key, valueString: safe(value) }] : [],
  );
}

function below(surfaceId: string, path: Path, value: Value): readonly KeyedMessage[] {
  if (typeof value === 'string') return [];
  if (isList(value)) return value.flatMap(({ key, fields }) => below(surfaceId, [...path, key], fields));
  return Object.entries(value).flatMap(([name, list]) =>
    typeof list === 'string' || list.length === 0 ? [] : puts(surfaceId, [...path, name], list),
  );
}

function pathText(path: Path): string {
  return path.map((part) => `/${typeof part === 'string' ? part : part.key}`).join('');
}

/**
 * A renderer of this version reads whatever looks like JSON as JSON, and writes an empty caption as two asterisks: the one
 * gets a character without a width in front, the other is a space.
 */
function safe(text: string): string {
  if (text === '') return ' ';
  return /^\s*[{[]/.test(text) ? `\u200b${text}` : text;
}

function isList(value: Fields | readonly Item[]): value is readonly Item[] {
  return Array.isArray(value);
}

function component(part: Part): object {
  const { id } = part;
  switch (part.is) {
    case 'Column':
    case 'Row':
      return { id, component: { [part.is]: { children: { explicitList: part.children } } } };
    case 'List': {
      const template = { componentId: part.template, dataBinding: part.path };
      return { id, component: { List: { children: { template } } } };
    }
    case 'Card':
      return { id, component: { Card: { child: part.child } } };
    case 'Text': {
      const text = { text: { path: part.path }, usageHint: part.size };
      return { id, ...(part.weight && { weight: part.weight }), component: { Text: text } };
    }
    case 'Button': {
      const { name, context } = part.decides;
      const bound = Object.entries(context).map(([key, path]) => ({ key, value: { path } }));
      return { id, component: { Button: { child: part.child, action: { name, context: bound } } } };
    }
  }
}
