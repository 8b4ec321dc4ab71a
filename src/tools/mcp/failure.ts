import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import { RunError, type FailureCode } from '../../run/failure.ts';
import type { Effect } from '../../run/values.ts';
import { lostStream } from './http.ts';

/** The request certainly did nothing: nobody was there, or the server no longer knows our session. It may be sent anew. */
export function neverArrived(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.status === 404 || error.status === 400;
  if (isNotConnected(error)) return true;
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].includes(systemCode(error));
}

/** What a failed call means for the run; a bug of ours is returned as it is. */
export function failedCall(tool: string, effect: Effect, error: unknown): unknown {
  if (error instanceof RunError) return withoutPlace(error);
  if (error instanceof ProtocolError && error.data !== lostStream) {
    return new RunError(codeOf(error), `${tool} was refused by its server: ${quoted(error.message)}`, {
      cause: error,
    });
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) {
    return new RunError('rejected', `${tool} gave a result that is not MCP: ${quoted(error.message)}`, {
      cause: error,
    });
  }
  if (error instanceof SdkHttpError) return refusedByHttp(tool, effect, error);
  if (!isLoss(error)) return error;
  const doubt = effect === 'once' ? ', so nobody knows whether it was done' : '';
  return new RunError('unavailable', `The server of ${tool} went away during the call${doubt}.`, {
    cause: error,
    retryable: effect !== 'once',
    isLost: true,
  });
}

/** Those who see a run learn which server it was and what happened to it; not where it is, nor what its program said. */
function withoutPlace(error: RunError): RunError {
  const [, server, what] =
    /^(The MCP server \S+)(?: at \S+| \([^)]*\))? ([^:;]*)[:;]/.exec(error.message) ?? [];
  if (server === undefined || what === undefined) return error;
  const { code, retryable } = error.failure;
  return new RunError(code, `${server} ${what}.`, { cause: error, retryable });
}

function refusedByHttp(tool: string, effect: Effect, error: SdkHttpError): RunError {
  const { status } = error;
  if (status === 401 || status === 403) {
    const message = `${tool} was refused with ${status}; check the headers of its MCP server.`;
    return new RunError(status === 401 ? 'unauthenticated' : 'refused', message, { cause: error });
  }
  const isPassing = status === 429 || status >= 500;
  return new RunError(isPassing ? 'unavailable' : 'rejected', `The server of ${tool} answered ${status}.`, {
    cause: error,
    retryable: isPassing && effect !== 'once',
  });
}

/** Nobody is at the other end, or nobody any more. */
export function isLoss(error: unknown): boolean {
  if (error instanceof RunError) return error.failure.code === 'unavailable';
  if (error instanceof SdkError || error instanceof ProtocolError) return true;
  // What undici throws when a connection breaks; the reason is not always given.
  const isBroken = error instanceof TypeError && /^(?:fetch failed|terminated)/.test(error.message);
  return isBroken || isNotConnected(error) || systemCode(error) !== '';
}

function isNotConnected(error: unknown): boolean {
  if (error instanceof SdkError) return error.code === SdkErrorCode.NotConnected;
  return error instanceof Error && error.message === 'Not connected';
}

/** What a server says as the end of our sentence: one line, not long, with a full stop. */
export function quoted(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return `${bounded(line, 1000).replace(/[.!?…\s]+$/, '')}.`;
}

/** What a server says, no longer than a person wants to read. */
export function bounded(text: string, longest = 4000): string {
  return text.length <= longest
    ? text
    : `${text.slice(0, longest)}… (${text.length - longest} more characters)`;
}

function codeOf(error: ProtocolError): FailureCode {
  if (error.code === ProtocolErrorCode.InvalidParams) return 'malformed';
  if (error.code === ProtocolErrorCode.MethodNotFound) return 'unknown';
  return 'rejected';
}

/** The code of the operating system somewhere in the chain of causes, or nothing. */
export function systemCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^(?:E[A-Z0-9]+|UND_ERR_\w+)$/.test(code)
    ? code
    : systemCode(error.cause);
}
