import { readDescription } from '../../wire/native/operation.ts';
import { openApiOf } from '../http/openapi.ts';
import { versionHere } from '../version.ts';
import { route, type Route } from './route.ts';

export function openApiRoute(described: readonly Route[]): Route {
  const texts = new Map<string, string>();
  const own: Route = route({
    ...readDescription,
    handle({ source: { prefix } }) {
      const text = texts.get(prefix) ?? JSON.stringify(openApiOf([...described, own], versionHere(), prefix));
      texts.set(prefix, text);
      return { status: 200, bytes: { type: 'application/json; charset=utf-8', content: text } };
    },
  });
  return own;
}
