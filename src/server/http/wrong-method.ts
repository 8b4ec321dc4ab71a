import { RunError } from '../../run/failure.ts';
import type { Route } from '../routes/route.ts';

/** What can be done at an address, where what was asked for cannot. */
export interface OtherMethods {
  readonly allowed: readonly string[];
  /** One of the routes that are there: a refusal looks as theirs do. */
  readonly route: Route;
}

/** What routes there are at an address, by any method; undefined where there is none. */
export function methodsAt(routes: readonly Route[]): (path: string) => OtherMethods | undefined {
  const known = routes
    .filter(({ method }) => method !== 'WS')
    .map((route) => ({ route, at: patternOf(route) }));
  return (path) => {
    const found = known.filter(({ at }) => at.test(path)).map(({ route }) => route);
    const [route] = found;
    if (!route) return undefined;
    const methods = found.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    return { allowed: [...new Set([...methods, 'OPTIONS'])], route };
  };
}

function patternOf({ path }: Route): RegExp {
  const parts = path.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll('.', '\\.')));
  return new RegExp(`^${parts.join('/')}$`);
}

export function wrongMethod(method: string, { allowed }: OtherMethods): RunError {
  const methods = allowed.filter((each) => each !== 'HEAD' && each !== 'OPTIONS').join(' or ');
  return new RunError('malformed', `«${method}» does nothing at this address: use ${methods}.`);
}
