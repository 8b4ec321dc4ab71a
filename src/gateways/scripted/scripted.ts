import { RunError } from '../../run/failure.ts';
import type { AgentEvent, Gateway } from '../gateway.ts';
import { type Move, readScript, type Script, ScriptedEvent } from './script.ts';
import { realSleep, type Sleep } from '../http/event-channel.ts';
import { stoppable } from '../http/stoppable.ts';

/**
 * A back end that replays a script. What it plays depends on the turn alone: whoever asks again after a crash gets the
 * same events. A turn that neither fails nor says how it finished is finished for it.
 */
export function scriptedGateway(
  script: Script,
  { sleep = realSleep }: { readonly sleep?: Sleep } = {},
): Gateway {
  const movesOf = readScript(script);
  return {
    takeTurn: (turn, signal) => stoppable(signal, (stop) => play(() => movesOf(turn), sleep, stop)),
  };
}

async function* play(
  read: () => readonly Move[],
  sleep: Sleep,
  signal: AbortSignal,
): AsyncGenerator<readonly AgentEvent[], undefined, undefined> {
  let isFinished = false;
  let hasCalls = false;
  for (const move of read()) {
    if (move.type === 'wait') await sleep(move.ms, signal);
    else if (move.type === 'hang') await aborted(signal);
    else if (move.type === 'fail') throw failureOf(move);
    else {
      for (const chunk of chunksOf(move)) {
        hasCalls ||= chunk.some(({ type }) => type === 'call.appended');
        isFinished ||= chunk.some(({ type }) => type === 'turn.finished');
        yield chunk;
      }
    }
  }
  if (!isFinished) yield [{ type: 'turn.finished', reason: hasCalls ? 'calls' : 'stop' }];
  return undefined;
}

type Told = Exclude<Move, { type: 'wait' | 'hang' | 'fail' }>;

function chunksOf(move: Told): readonly (readonly AgentEvent[])[] {
  if (move.type === 'say') {
    const { channel } = move;
    return listOf(move.text).map((text) => [{ type: 'text.appended', text, channel }]);
  }
  if (move.type === 'call') {
    const { call, tool } = move;
    return listOf(move.arguments).map((text, i) => [
      { type: 'call.appended', call, tool: i === 0 ? tool : undefined, text },
    ]);
  }
  if (move.type === 'together') return [move.events];
  if (move.type === 'raw') return [[readPiece(move.piece)]];
  return [[move]];
}

function failureOf({ code, message, retryable }: Extract<Move, { type: 'fail' }>): RunError {
  return new RunError(code, message, { retryable });
}

function listOf(pieces: string | readonly string[]): readonly string[] {
  return typeof pieces === 'string' ? [pieces] : pieces;
}

function readPiece(piece: unknown): AgentEvent {
  const event = ScriptedEvent.safeParse(piece);
  if (event.success) return event.data;
  const shown = (typeof piece === 'string' ? piece : (JSON.stringify(piece) ?? 'nothing')).slice(0, 200);
  return {
    type: 'notice.posted',
    code: 'UPSTREAM_MALFORMED',
    message: `The scripted back end sent a piece that cannot be read and is skipped: ${shown}`,
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
