import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { openApiOf } from './openapi.ts';
import { routeTable } from '../routes/table.ts';

const described = routeTable.filter(({ tag }) => tag !== 'page');

test('the description of the routes has nothing a linter would object to', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const source = JSON.stringify(openApiOf(described, '1.0.0'));
  const problems = await lintFromString({ source, config });
  expect(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
  ).toEqual([]);
});

type Operations = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

test('every route is in it, with what it takes and what it answers', () => {
  const document = openApiOf(described, '1.0.0');
  const paths = document['paths'] as Readonly<Record<string, Operations>>;
  const sockets = document['x-websockets'] as Operations;
  for (const { method, path, body } of described) {
    const place = path.replaceAll(/:(\w+)/g, '{$1}');
    const operation = method === 'WS' ? sockets[place] : paths[place]?.[method.toLowerCase()];
    expect(operation?.['responses'], path).toBeDefined();
    expect(operation?.['requestBody'] !== undefined, path).toBe(body !== undefined);
  }
  const names = Object.values(paths).flatMap((each) => Object.values(each).map((one) => one['operationId']));
  expect(new Set(names).size).toBe(names.length);
});

test('[N2] each shape is there once, under a name people know, and every reference leads to one', () => {
  const document = openApiOf(described, '1.0.0');
  const { schemas } = document['components'] as { readonly schemas: Readonly<Record<string, object>> };
  const text = JSON.stringify(document);
  const referred = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, place = '']) => place);
  const known = [
    ...Object.keys(schemas).map((name) => `#/components/schemas/${name}`),
    '#/components/responses/Refused',
  ];
  expect(referred.filter((place) => !known.includes(place))).toEqual([]);
  expect(Object.keys(schemas)).toEqual(
    expect.arrayContaining(['FlatTree', 'FlatStep', 'RunEvent', 'Json', 'Refusal']),
  );
  expect(text).not.toContain('$defs');
});

test('[N2] what must be asked is said to be needed, and a protocol that refuses in words of its own is told apart', () => {
  const paths = openApiOf(described, '1.0.0')['paths'] as Readonly<Record<string, Operations>>;
  const trace = paths['/api/trace/logs']?.['get'];
  expect(trace?.['parameters']).toContainEqual(
    expect.objectContaining({ name: 'projectId', required: true }),
  );
  expect(trace?.['parameters']).toContainEqual(expect.objectContaining({ name: 'limit', required: false }));
  expect(trace?.['responses']).toMatchObject({ '4XX': { content: { 'application/json': {} } } });
  expect(paths['/api/runs']?.['get']?.['responses']).toMatchObject({ '4XX': { $ref: expect.any(String) } });
});
