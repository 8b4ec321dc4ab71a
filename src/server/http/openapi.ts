import { z } from 'zod';
import { RunEvent } from '../../run/events.ts';
import { FlatApproval } from '../../run/flat-approval.ts';
import { FlatStep } from '../../run/flat-step.ts';
import { FlatTree } from '../../run/flat-tree.ts';
import { Attachment, BlobRef, Item, Json } from '../../run/values.ts';
import { ApprovalPage, AskedApproval } from '../../wire/native/approvals.ts';
import { GivenAttachment } from '../../wire/native/attachment.ts';
import { Commanded } from '../../wire/native/commands.ts';
import type { Endpoint } from '../../wire/native/endpoint.ts';
import { Refusal } from '../../wire/native/refusal.ts';
import { ListedRun, RunPage } from '../../wire/native/runs.ts';
import { StartedRun } from '../../wire/native/starting.ts';

type Plain = { readonly [key: string]: unknown };

/** A route, and whether it refuses in the words of another protocol. */
type Described = Endpoint & { readonly errorBody?: unknown };

/** The description of every route, made from the schemas that check what comes in. */
export function openApiOf(routes: readonly Described[], version: string, below = ''): Plain {
  const schemas = new Components();
  const paths: Record<string, Record<string, Plain>> = {};
  const sockets: Record<string, Plain> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    if (route.method === 'WS') sockets[path] = operation(route, schemas);
    else paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, schemas) };
  }
  const refusal = schemas.output('Refusal', Refusal);
  const tags = [...new Set(routes.map(({ tag }) => tag))];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Vitrine',
      version,
      description: 'Runs of agent teams: start, watch, stop, approve.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: below || '/', description: 'This server.' }],
    tags: tags.map((name) => ({ name, description: tagAbouts[name] ?? name })),
    security: [{ key: [] }, { badge: [] }],
    paths,
    // OpenAPI has no place for WebSockets.
    'x-websockets': sockets,
    components: {
      schemas: schemas.all(),
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
  workflows: 'Graphs of agents, tools and people: drafts, versions, runs.',
  execution: 'The routes of the workflow platform.',
  page: 'What a browser shows.',
};

function operation(route: Described, schemas: Components): Plain {
  const { path, about, tag, addresses, body, errorBody } = route;
  const refused = errorBody === undefined ? refusedHere : refusedElsewhere;
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

const refusedHere = { $ref: '#/components/responses/Refused' };
const refusedElsewhere = {
  description: 'Why not, as clients of this protocol read it.',
  content: { 'application/json': {} },
};

/** Where nothing has to be said, nothing has to be sent. */
function isNeeded(body: Endpoint['body']): boolean {
  return body === 'bytes' || body?.safeParse({}).success === false;
}

function bodyContent({ body }: Endpoint, schemas: Components, name: string): Plain {
  if (body === 'bytes' || body === undefined) return { 'application/octet-stream': {} };
  return { 'application/json': { schema: schemas.input(`${name}Body`, body) } };
}

function answersOf({ answers, errorBody }: Described, schemas: Components, name: string): Plain {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { about, schema, type }]) => {
      if (Number(status) >= 400 && !schema) {
        const { content } = errorBody === undefined ? { content: refusedContent } : refusedElsewhere;
        return [status, { description: about, content }];
      }
      const content = {
        ...(schema ? { 'application/json': { schema: schemas.output(`${name}${status}`, schema) } } : {}),
        ...(type ? { [type]: { schema: { type: 'string' } } } : {}),
      };
      return [status, { description: about, ...(schema || type ? { content } : {}) }];
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

function queryParameters({ query }: Endpoint): readonly Plain[] {
  if (!(query instanceof z.ZodObject)) return [];
  return Object.entries(query.shape).map(([name, schema]) => {
    const { $schema: _, ...plain } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
    return { name, in: 'query', required: !schema.safeParse(undefined).success, schema: plain };
  });
}

function headerParameters({ headers = {} }: Endpoint): readonly Plain[] {
  return Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
}

/** Shapes that many others have in them, by the names that people know them by. */
const shared = {
  Json,
  BlobRef,
  Attachment,
  Item,
  RunEvent,
  FlatTree,
  FlatStep,
  FlatApproval,
  StartedRun,
  ListedRun,
  RunPage,
  AskedApproval,
  ApprovalPage,
  Commanded,
  GivenAttachment,
} as const;

const prefix = '#/components/schemas/';

/** The schemas that operations refer to, each once and by its name. What comes in and what goes out may differ in form. */
class Components {
  readonly #inputs = named();
  readonly #outputs = named();

  input(name: string, schema: z.ZodType): Plain {
    return reference(this.#inputs, name, schema);
  }

  output(name: string, schema: z.ZodType): Plain {
    return reference(this.#outputs, name, schema);
  }

  all(): Readonly<Record<string, Plain>> {
    return { ...described(this.#inputs, 'input'), ...described(this.#outputs, 'output') };
  }
}

type Names = z.core.$ZodRegistry<{ id: string }>;

function named(): Names {
  const names = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(shared)) names.add(schema, { id });
  return names;
}

function reference(names: Names, name: string, schema: z.ZodType): Plain {
  if (!names.has(schema)) names.add(schema, { id: name });
  return { $ref: `${prefix}${names.get(schema)?.id ?? name}` };
}

function described(names: Names, io: 'input' | 'output'): Readonly<Record<string, Plain>> {
  const { schemas } = z.toJSONSchema(names, { io, unrepresentable: 'any', uri: (id) => `${prefix}${id}` });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const { $schema: _, $id: __, ...plain } = schema;
      return [name, plain];
    }),
  );
}

/** `GET /api/runs/:run` becomes `getApiRunsRun`. */
function nameOf({ method, path }: Endpoint): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const capital = words.map((word) => `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`);
  return `${method.toLowerCase()}${capital.join('') || 'Page'}`;
}
