import { z } from 'zod';
import type { Route } from '../routes/route.ts';
import { Refusal } from '../routes/shapes.ts';

type Plain = { readonly [key: string]: unknown };

/** The description of every route, made from the schemas that check what comes in. */
export function openApiOf(routes: readonly Route[], version: string): Plain {
  const schemas: Record<string, Plain> = {};
  const paths: Record<string, Record<string, Plain>> = {};
  const sockets: Record<string, Plain> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    if (route.method === 'WS') sockets[path] = operation(route, schemas);
    else paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, schemas) };
  }
  const refusal = reference(schemas, 'Refusal', { schema: Refusal, io: 'output' });
  const tags = [...new Set(routes.map(({ tag }) => tag))];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Vitrine',
      version,
      description: 'Runs of agent teams: start, watch, stop, approve.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This server.' }],
    tags: tags.map((name) => ({ name, description: tagAbouts[name] ?? name })),
    security: [{ key: [] }, { badge: [] }],
    paths,
    // OpenAPI has no place for WebSockets.
    'x-websockets': sockets,
    components: {
      schemas,
      responses: {
        Refused: { description: 'Why not.', content: { 'application/json': { schema: refusal } } },
      },
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'A key of «vitrine keys create», or a JWT.' },
        badge: { type: 'apiKey', in: 'cookie', name: 'vitrine', description: 'Set by POST /api/sign-in.' },
      },
    },
  };
}

const tagAbouts: Readonly<Record<string, string>> = {
  runs: 'Runs, and what people ask of them.',
  approvals: 'Questions that wait for a person.',
  conversations: 'Runs that follow each other.',
  files: 'What comes with a message.',
  people: 'Who may enter.',
  operation: 'For those who operate the server.',
  console: 'The routes of the network-operations console.',
  execution: 'The routes of the workflow platform.',
  page: 'What a browser shows.',
};

function operation(route: Route, schemas: Record<string, Plain>): Plain {
  const { path, about, tag, addresses, body } = route;
  const name = nameOf(route);
  const content = body && bodyContent(route, schemas, name);
  const parameters = [...pathParameters(path), ...queryParameters(route), ...headerParameters(route)];
  return {
    operationId: name,
    summary: about,
    tags: [tag],
    ...(addresses === 'anyone' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(content ? { requestBody: { required: isNeeded(body), content } } : {}),
    responses: { ...answersOf(route, schemas, name), '4XX': refused, '5XX': refused },
  };
}

const refused = { $ref: '#/components/responses/Refused' };

/** Where nothing has to be said, nothing has to be sent. */
function isNeeded(body: Route['body']): boolean {
  return body === 'bytes' || body?.safeParse({}).success === false;
}

function bodyContent({ body }: Route, schemas: Record<string, Plain>, name: string): Plain {
  if (body === 'bytes' || body === undefined) return { 'application/octet-stream': {} };
  const schema = reference(schemas, `${name}Body`, { schema: body, io: 'input' });
  return { 'application/json': { schema } };
}

function answersOf({ answers }: Route, schemas: Record<string, Plain>, name: string): Plain {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { about, schema, type }]) => {
      if (Number(status) >= 400 && !schema) {
        return [status, { description: about, content: refusedContent }];
      }
      const content = schema
        ? { 'application/json': { schema: reference(schemas, `${name}${status}`, { schema, io: 'output' }) } }
        : type
          ? { [type]: { schema: { type: 'string' } } }
          : undefined;
      return [status, { description: about, ...(content ? { content } : {}) }];
    }),
  );
}

const refusedContent = { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } };

function pathParameters(path: string): readonly Plain[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters({ query }: Route): readonly Plain[] {
  if (!(query instanceof z.ZodObject)) return [];
  return Object.entries(query.shape).map(([name, schema]) => {
    const { $schema: _, ...plain } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    return { name, in: 'query', required: false, schema: plain };
  });
}

function headerParameters({ headers = {} }: Route): readonly Plain[] {
  return Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
}

interface Described {
  readonly schema: z.ZodType;
  readonly io: 'input' | 'output';
}

/** A schema as a component of its own; parts it defines for itself become components, too. */
function reference(schemas: Record<string, Plain>, name: string, { schema, io }: Described): Plain {
  const made = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  const text = JSON.stringify(made).replaceAll('"#/$defs/', `"#/components/schemas/${name}.`);
  const whole = text.replaceAll('"$ref":"#"', `"$ref":"#/components/schemas/${name}"`);
  const {
    $schema: _,
    $defs = {},
    ...plain
  } = JSON.parse(whole) as Plain & { readonly $defs?: Record<string, Plain> };
  for (const [part, definition] of Object.entries($defs)) schemas[`${name}.${part}`] = definition;
  schemas[name] = plain;
  return { $ref: `#/components/schemas/${name}` };
}

/** `GET /api/runs/:run` becomes `getApiRunsRun`. */
function nameOf({ method, path }: Route): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const capital = words.map((word) => `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`);
  return `${method.toLowerCase()}${capital.join('') || 'Page'}`;
}
