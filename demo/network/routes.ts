import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { RunError } from '../../src/index.ts';
import { sendJson, type Visit } from '../loopback-server.ts';
import { dispatchAction, DispatchOrder, type DispatchDesk } from './dispatch.ts';
import { NewNotice, type NoticeBoard } from './notices.ts';

export interface Desks {
  readonly desk: DispatchDesk;
  readonly board: NoticeBoard;
}

/** What the operations centre offers beside its agents: the dispatch action, and its notice board. */
export function route(visit: Visit, { desk, board }: Desks): boolean {
  const { method, path, query, response } = visit;
  if (method === 'GET' && path === '/actions') sendJson(response, 200, [dispatchAction]);
  else if (method === 'GET' && path === '/dispatches') sendJson(response, 200, desk.dispatches);
  else if (method === 'POST' && path === dispatchAction.path) dispatch(visit, desk);
  else if (method === 'GET' && path === '/notices') {
    const site = query.get('site') ?? undefined;
    const notices = board.notices(site);
    if (notices) sendJson(response, 200, { ...(site === undefined ? {} : { site }), notices });
    else refuse(visit, 404, nowhere(site ?? ''));
  } else if (method === 'POST' && path === '/notices') post(visit, board);
  else return false;
  return true;
}

function dispatch(visit: Visit, desk: DispatchDesk): void {
  const order = read(visit.body, DispatchOrder);
  if (typeof order === 'string') return refuse(visit, 400, order);
  try {
    const action = desk.send(order, keyOf(visit));
    sendJson(visit.response, 200, { is_action: true, name: dispatchAction.name, action });
  } catch (thrown) {
    if (!(thrown instanceof RunError)) throw thrown;
    refuse(visit, 404, thrown.message);
  }
}

function post(visit: Visit, board: NoticeBoard): void {
  const notice = read(visit.body, NewNotice);
  if (typeof notice === 'string') return refuse(visit, 400, notice);
  const posted = board.post(notice, keyOf(visit));
  if (posted) sendJson(visit.response, 201, posted);
  else refuse(visit, 404, nowhere(notice.site));
}

function keyOf({ headers }: Visit): string {
  return String(headers['idempotency-key'] ?? randomUUID());
}

function nowhere(site: string): string {
  return `There is no site ${site}; name one such as Perth or PER.`;
}

function refuse({ response }: Visit, status: number, message: string): void {
  sendJson(response, status, { error: { message } });
}

function read<T>(body: string, schema: z.ZodType<T>): T | string {
  try {
    const parsed = schema.safeParse(JSON.parse(body));
    const [issue] = parsed.error?.issues ?? [];
    return parsed.success
      ? parsed.data
      : `${issue?.path.join('.') ?? 'The body'}: ${issue?.message ?? 'is wrong'}`;
  } catch {
    return 'The body is not JSON.';
  }
}
