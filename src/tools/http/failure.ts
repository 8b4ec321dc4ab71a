import { RunError } from '../../run/failure.ts';

/** Said of a request that may change something, when it was sent and not answered. */
export const doubt = '; whether the request was carried out is not known';

/** What a request failed with, for people. `fetch` wraps the reason, sometimes twice. */
export function requestFailure(error: unknown, { method, url }: { method: string; url: URL }): unknown {
  const reasons = [...causes(error)];
  const own = reasons.find((reason) => reason instanceof RunError);
  if (own) return own;
  const code = reasons.map(codeOf).find((found) => found !== undefined);
  if (code === undefined && !(error instanceof TypeError)) return error;
  const host = url.host.slice(0, 200);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new RunError('unavailable', `${host} could not be found; check \`url\`.`, { cause: error });
  }
  const end = isPure(method) || notSent.has(code ?? '') ? '' : doubt;
  const why = code ?? 'the answer could not be read';
  return new RunError('unavailable', `${method} ${host} failed (${why})${end}.`, {
    retryable: isPure(method),
    cause: error,
  });
}

export function isPure(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

const notSent = new Set(['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT', 'EHOSTUNREACH', 'ENETUNREACH']);

function* causes(error: unknown): Generator<Error> {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    yield current;
    if (current instanceof AggregateError) yield* current.errors.filter((each) => each instanceof Error);
    current = current.cause;
  }
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
