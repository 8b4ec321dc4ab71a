import { readDescription } from '../../wire/native/operation.ts';
import { openApiOf } from '../http/openapi.ts';
import { versionHere } from '../version.ts';
import { route, type Route } from './route.ts';

export function openApiRoute(described: readonly Route[]): Route {
  let text: string | undefined;
  const own: Route = route({
    ...readDescription,
    handle() {
      text ??= JSON.stringify(openApiOf([...described, own], versionHere()));
      return { status: 200, bytes: { type: 'application/json; charset=utf-8', content: text } };
    },
  });
  return own;
}
