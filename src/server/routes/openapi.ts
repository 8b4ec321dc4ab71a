import { z } from 'zod';
import { openApiOf } from '../http/openapi.ts';
import { versionHere } from '../version.ts';
import { route, type Route } from './route.ts';

const Description = z.looseObject({ openapi: z.string() });

export function openApiRoute(described: readonly Route[]): Route {
  let text: string | undefined;
  const own: Route = route({
    method: 'GET',
    path: '/openapi.json',
    about: 'This description.',
    tag: 'operation',
    role: 'viewer',
    addresses: 'anyone',
    answers: { 200: { about: 'OpenAPI 3.1.', schema: Description } },
    handle() {
      text ??= JSON.stringify(openApiOf([...described, own], versionHere()));
      return { status: 200, bytes: { type: 'application/json; charset=utf-8', content: text } };
    },
  });
  return own;
}
