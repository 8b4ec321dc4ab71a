import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RunError } from '../../../src/client/client.ts';
import type { WorkflowDraft } from '../../../src/wire/native/workflows.ts';
import type { DraftGraph } from '../canvas/model/draft-graph.ts';
import { DraftKeeper } from './draft-keeper.ts';
import { Editing } from './editing.ts';
import { watchClosing } from './leaving.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const begun: DraftGraph = { name: 'g', nodes: [], edges: [] };
const titled =
  (title: string) =>
  (graph: DraftGraph): DraftGraph => ({ ...graph, title });

/** A server that keeps one draft, and refuses what was not read from the newest. */
class Server {
  draftNow: WorkflowDraft = { name: 'g', revision: 1, hash: '', by: 'ada', at: 0, graph: {}, problems: [] };
  readonly saved: unknown[] = [];
  isAway = false;
  working: Promise<void> = Promise.resolve();

  readonly save = async ({ title = '' }: DraftGraph, revision: number): Promise<WorkflowDraft> => {
    await this.working;
    if (this.isAway) throw new RunError('unavailable', 'It is away.', { retryable: true });
    if (revision !== this.draftNow.revision) throw new RunError('rejected', 'Somebody else has saved.');
    this.saved.push(title);
    this.draftNow = { ...this.draftNow, graph: { title }, revision: this.draftNow.revision + 1, by: 'me' };
    return this.draftNow;
  };

  readonly read = async (): Promise<WorkflowDraft> => this.draftNow;
}

function opened(server: Server) {
  const editing = new Editing(begun);
  const keeper = new DraftKeeper(server, editing, 1);
  return { editing, keeper, leave: keeper.follow() };
}

test('[CV5] what is changed in one go is saved once, over the revision that was read', async () => {
  const server = new Server();
  const { editing, keeper } = opened(server);
  for (const title of ['a', 'ab', 'abc']) editing.edit(titled(title));
  expect(keeper.getSnapshot()).toMatchObject({ is: 'unsaved', revision: 1 });
  await vi.runAllTimersAsync();
  expect(server.saved).toEqual(['abc']);
  expect(keeper.getSnapshot()).toMatchObject({ is: 'saved', revision: 2 });
});

test('[CV5] what is changed while it is being saved is saved after it, and never beside it', async () => {
  const server = new Server();
  const { editing, keeper } = opened(server);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.working = promise;
  editing.edit(titled('first'));
  await vi.advanceTimersByTimeAsync(700);
  editing.edit(titled('second'));
  const flushed = keeper.flush();
  resolve();
  expect(await flushed).toBe(true);
  expect(server.saved).toEqual(['first', 'second']);
  expect(server.draftNow.revision).toBe(3);
});

test('[CV5] somebody else’s draft is not overwritten: theirs is told, and one of the two is taken', async () => {
  for (const taken of ['theirs', 'mine'] as const) {
    const server = new Server();
    const { editing, keeper } = opened(server);
    server.draftNow = { ...server.draftNow, revision: 7, by: 'ben', at: 42 };
    editing.edit(titled('mine'));
    await vi.runAllTimersAsync();
    expect(keeper.getSnapshot()).toMatchObject({
      is: 'conflict',
      theirs: { by: 'ben', at: 42, revision: 7 },
    });
    editing.edit(titled('mine, too'));
    await vi.runAllTimersAsync();
    expect(server.saved).toEqual([]);
    expect(await keeper.flush()).toBe(false);
    if (taken === 'theirs') keeper.takeTheirs({ ...begun, title: 'theirs' });
    else await keeper.keepMine();
    expect(editing.getSnapshot().draft.title).toBe(taken === 'theirs' ? 'theirs' : 'mine, too');
    expect(server.saved).toEqual(taken === 'theirs' ? [] : ['mine, too']);
    expect(keeper.getSnapshot()).toMatchObject({ is: 'saved', revision: taken === 'theirs' ? 7 : 8 });
  }
});

test('[CV5] a server that is away is tried again; what is left unsaved is saved when one goes', async () => {
  const server = new Server();
  const { editing, keeper, leave } = opened(server);
  server.isAway = true;
  editing.edit(titled('kept'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(keeper.getSnapshot().is).toBe('failed');
  server.isAway = false;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(server.saved).toEqual(['kept']);
  editing.edit(titled('last'));
  leave();
  await vi.advanceTimersByTimeAsync(0);
  expect(server.saved).toEqual(['kept', 'last']);
});

test('[CV30] a page with something unsaved asks before it closes, and saves as soon as one looks away', async () => {
  const server = new Server();
  const { editing, keeper } = opened(server);
  const page = new EventTarget();
  const stop = watchClosing(keeper, page);
  const isAsked = (): boolean => !page.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  expect(isAsked()).toBe(false);
  for (const [i, event] of ['pagehide', 'visibilitychange'].entries()) {
    editing.edit(titled(event));
    page.dispatchEvent(new Event(event));
    await vi.advanceTimersByTimeAsync(0);
    expect(server.saved).toHaveLength(i + 1);
  }
  expect(isAsked()).toBe(false);
  editing.edit(titled('closing'));
  expect(isAsked()).toBe(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(server.saved).toEqual(['pagehide', 'visibilitychange', 'closing']);
  server.draftNow = { ...server.draftNow, revision: 9, by: 'ben' };
  editing.edit(titled('mine'));
  expect([keeper.isStuck, isAsked()]).toEqual([false, true]);
  await vi.runAllTimersAsync();
  expect([keeper.isStuck, isAsked()]).toEqual([true, true]);
  stop();
  expect(isAsked()).toBe(false);
});

test('[CV31] what cannot be read is not saved, whatever is changed beside it, until it is read or theirs is taken', async () => {
  const server = new Server();
  const { editing, keeper } = opened(server);
  editing.setUnread('title: [oops');
  editing.edit(titled('drawn'));
  await vi.runAllTimersAsync();
  expect(server.saved).toEqual(['drawn']);
  expect(editing.getSnapshot().unread).toBe('title: [oops');
  expect([await keeper.flush(), keeper.isAllSaved, keeper.isStuck]).toEqual([false, false, true]);
  editing.setUnread(undefined);
  expect([await keeper.flush(), keeper.isAllSaved, keeper.isStuck]).toEqual([true, true, false]);
  editing.setUnread('again: [');
  server.draftNow = { ...server.draftNow, revision: 9, by: 'ben' };
  editing.edit(titled('mine'));
  await vi.runAllTimersAsync();
  keeper.takeTheirs(begun);
  expect([editing.getSnapshot().unread, keeper.isAllSaved]).toEqual([undefined, true]);
});
