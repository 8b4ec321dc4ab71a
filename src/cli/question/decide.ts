import type { Command } from '../../run/commands.ts';
import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { folderOwner } from '../../run/owner.ts';
import { exit, type Given } from '../command.ts';
import { findApproval } from '../place/find.ts';
import { goOn } from '../place/go-on.ts';
import { inHome } from '../place/in-home.ts';
import { placeOf } from '../place/place.ts';
import type { Where } from '../view/show-run.ts';
import { visibleLine } from '../terminal/escape.ts';
import { tellQuestion } from './tell-question.ts';
import { sendTo } from '../place/told.ts';
import { wholeQuestion } from './whole-question.ts';

type Decision = Omit<Extract<Command, { type: 'decide' }>, 'type' | 'by' | 'approval' | 'fingerprint'>;

/** Answer an approval. If nobody else works on the run, it goes on here. */
export async function decide(where: Where, decision: Decision): Promise<number> {
  const { given, terminal } = where;
  return inHome(placeOf(given, terminal), where, async (home) => {
    const { run, approval } = await findApproval(home, given.words[0] ?? '');
    const { approval: id, fingerprint } = approval;
    // What is let happen is what is shown here, and nothing else.
    if (decision.decision !== 'reject')
      tellQuestion(
        { approval, whole: await wholeQuestion(home.server, approval), title: run.title },
        { ...terminal, say: (line = '') => terminal.warn(line) },
      );
    const by = folderOwner;
    const { sentence, isDone } = await sendTo(home, run.run, {
      type: 'decide',
      by,
      approval: id,
      fingerprint,
      ...decision,
    });
    (isDone ? terminal.say : terminal.warn)(sentence);
    if (run.stranded !== undefined) terminal.warn(visibleLine(run.stranded));
    if (!isDone) return exit.failed;
    return goOn(home, { run: run.run, after: run.seq }, where);
  });
}

export function rationaleIn(given: Given): { rationale?: string } {
  const rationale = given.text('why');
  return rationale === undefined ? {} : { rationale };
}

/** JSON somebody typed, or a failure that says where it breaks. */
export function jsonIn(text: string, what: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RunError('malformed', `${what} must be JSON: ${why}.`, { cause });
  }
}
