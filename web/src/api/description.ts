/** What a server says of its API, as far as it is shown: OpenAPI 3.1. */
export interface Description {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly 'x-websockets': Readonly<Record<string, Operation>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export type Content = Readonly<Record<string, { readonly schema?: Schema }>>;
interface Response {
  readonly description?: string;
  readonly content?: Content;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** One place of the API. */
export interface Listed extends Operation {
  readonly method: string;
  readonly path: string;
}

/** Every operation, by the group it is listed under, groups as they are described. */
export function groupsIn(described: Description): readonly (readonly [about: string, Listed[]])[] {
  const all = [
    ...Object.entries(described.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        path,
        method: method.toUpperCase(),
      })),
    ),
    ...Object.entries(described['x-websockets']).map(([path, one]) => ({ ...one, path, method: 'WS' })),
  ];
  return described.tags.map(({ name, description }) => [
    description,
    all.filter(({ tags }) => tags.includes(name)),
  ]);
}

const indent = '  ';

/** A shape as people write it: `{ run: string, title?: string }`, over lines where it has parts. */
export function shapeOf(schema: Schema, depth = 0): string {
  const { $ref, enum: choices, properties, items, additionalProperties, type } = schema;
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (choices) return choices.map((one) => JSON.stringify(one)).join(' | ');
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return [...new Set(either.map((one) => shapeOf(one, depth)))].join(' | ');
  if (items) return `(${shapeOf(items, depth)})[]`.replace(/^\((\w+)\)/, '$1');
  if (properties && Object.keys(properties).length > 0) return partsOf(schema, depth);
  if (typeof additionalProperties === 'object') return `{ [name]: ${shapeOf(additionalProperties, depth)} }`;
  return type === undefined ? 'any' : [type].flat().join(' | ');
}

function partsOf({ properties = {}, required = [] }: Schema, depth: number): string {
  const inner = indent.repeat(depth + 1);
  const lines = Object.entries(properties).map(
    ([name, one]) => `${inner}${name}${required.includes(name) ? '' : '?'}: ${shapeOf(one, depth + 1)}`,
  );
  return `{\n${lines.join('\n')}\n${indent.repeat(depth)}}`;
}

/** How to ask from a terminal. */
export function commandFor({ method, path, requestBody, security }: Listed, origin: string): string {
  const address = `${origin}${path.replaceAll(/\{(\w+)\}/g, '<$1>')}`;
  if (method === 'WS') return address.replace(/^http/, 'ws');
  const key = security?.length === 0 ? '' : ` -H 'Authorization: Bearer <key>'`;
  const isJson = requestBody?.content['application/json'] !== undefined;
  const body = isJson
    ? ` -H 'Content-Type: application/json' -d '{…}'`
    : requestBody
      ? ' --data-binary @<file>'
      : '';
  const verb = method === 'GET' || (method === 'POST' && requestBody) ? '' : ` -X ${method}`;
  return `curl${verb} '${address}'${key}${body}`;
}
