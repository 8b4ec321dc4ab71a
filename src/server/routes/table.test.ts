import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Endpoint } from '../../wire/native/endpoint.ts';
import { routeTable } from './table.ts';

/** The routes of other systems' clients, and of browsers, are described where they are. */
const elsewhere = ['a2ui', 'two-stage', 'a2a', 'mcp', 'console', 'execution', 'applications', 'page'];

const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

test('[N1] every route of the native API is one endpoint of wire/native, and every endpoint has its route', async () => {
  const folder = new URL('../../wire/native/', import.meta.url);
  const endpoints: Endpoint[] = [];
  for (const file of globSync('*.ts', { cwd: folder.pathname })) {
    const exported = (await import(new URL(file, folder).href)) as Readonly<Record<string, unknown>>;
    for (const value of Object.values(exported)) if (isEndpoint(value)) endpoints.push(value);
  }
  const native = routeTable.filter(({ tag }) => !elsewhere.includes(tag));
  expect(endpoints.length).toBeGreaterThan(20);
  expect(endpoints.map(nameOf).toSorted()).toEqual(native.map(nameOf).toSorted());
  for (const route of native) {
    const described = endpoints.find((endpoint) => nameOf(endpoint) === nameOf(route));
    const { query, body, answers, role, addresses } = route;
    expect({ query, body, answers, role, addresses }, nameOf(route)).toEqual({
      query: described?.query,
      body: described?.body,
      answers: described?.answers,
      role: described?.role,
      addresses: described?.addresses,
    });
    expect(route.body === described?.body && route.query === described?.query, nameOf(route)).toBe(true);
  }
});

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'method' in value && 'answers' in value;
}
