import { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { RunError } from '../../run/failure.ts';
import { quoted, systemCode } from './failure.ts';
import type { HttpServer } from './http.ts';
import type { StdioServer } from './stdio.ts';

export interface Trouble {
  readonly error: unknown;
  /** What the server wrote to its error output. */
  readonly complaint: string;
}

/** Why a server could not be reached. `retryable` says that waiting a little may help. */
export function notStarted(server: string, endpoint: StdioServer | HttpServer, trouble: Trouble): RunError {
  const { error } = trouble;
  if ('url' in endpoint) return notReached(server, endpoint, error);
  const [program = ''] = endpoint.command;
  if (['ENOENT', 'EACCES'].includes(systemCode(error))) {
    const message = `The MCP server ${server} cannot be started: there is no program ${program}; install it or give its full path.`;
    return new RunError('unavailable', message, { cause: error, retryable: false });
  }
  const reason = hide(sentenceIn(trouble.complaint), endpoint.environment) || messageOf(error);
  return new RunError(
    'unavailable',
    `The MCP server ${server} (${program}) did not start: ${quoted(reason)}`,
    {
      cause: error,
      retryable: !isTimeout(error),
    },
  );
}

/** A program that fails prints where; people want to know why: the line that names the error, where there is one. */
function sentenceIn(complaint: string): string {
  const named = complaint.match(/^(?:Uncaught )?[\w.]*(?:Error|Exception)\b[^\n]*: [^\n]+$/gm);
  return named?.at(-1) ?? complaint;
}

function notReached(server: string, { url, headers }: HttpServer, error: unknown): RunError {
  const { host } = new URL(url);
  if (error instanceof SdkHttpError && (error.status === 401 || error.status === 403)) {
    const code = error.status === 401 ? 'unauthenticated' : 'refused';
    const message = `The MCP server ${server} at ${host} answered ${error.status}; check its headers.`;
    return new RunError(code, message, { cause: error, retryable: false });
  }
  const reason = systemCode(error) || hide(messageOf(error), headers);
  return new RunError(
    'unavailable',
    `The MCP server ${server} at ${host} cannot be reached: ${quoted(reason)}`,
    {
      cause: error,
      retryable: !isTimeout(error) && !(error instanceof SdkHttpError && error.status === 404),
    },
  );
}

function isTimeout(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Servers like to print what they were given; a key must not end up in a journal that way. */
function hide(text: string, secrets: Readonly<Record<string, string>> = {}): string {
  return Object.entries(secrets).reduce(
    (clean, [name, secret]) => (secret.length < 6 ? clean : clean.replaceAll(secret, `[${name}]`)),
    text,
  );
}
