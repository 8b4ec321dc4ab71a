/** The time a call may take, which stands still while a person is asked. */
export interface Deadline {
  /** Aborts when the time is up or the caller gives up. */
  readonly signal: AbortSignal;
  isOver(): boolean;
  /** Stop the clock; the returned function lets it go on. */
  pause(): () => void;
  clear(): void;
}

export function deadline(milliseconds: number, caller: AbortSignal): Deadline {
  const controller = new AbortController();
  let isOver = false;
  let left = milliseconds;
  let since = performance.now();
  let pauses = 0;
  let timer: NodeJS.Timeout | undefined;

  const expire = (): void => {
    isOver = true;
    controller.abort(new Error(`no result within ${milliseconds} ms`));
  };
  const go = (): void => {
    since = performance.now();
    timer = setTimeout(expire, left);
  };
  const follow = (): void => controller.abort(caller.reason);

  caller.addEventListener('abort', follow, { once: true });
  if (caller.aborted) follow();
  go();
  return {
    signal: controller.signal,
    isOver: () => isOver,
    pause() {
      if (pauses++ === 0) {
        clearTimeout(timer);
        left = Math.max(0, left - (performance.now() - since));
      }
      return () => {
        if (--pauses === 0 && !controller.signal.aborted) go();
      };
    },
    clear() {
      clearTimeout(timer);
      pauses = Number.POSITIVE_INFINITY;
      caller.removeEventListener('abort', follow);
    },
  };
}
