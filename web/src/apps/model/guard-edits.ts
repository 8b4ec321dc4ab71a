import type { AppBody, AppGuard, GuardAction } from '../../../../src/wire/native/app-body.ts';
import type { AppEdit } from './app-edits.ts';

type Guards = AppBody['guards'];
export type GuardKind = AppGuard['guard'];
export type Side = 'input' | 'output';

/** What is done about findings where nothing is said: what people send is blocked, and answers are redacted. */
const usual: Readonly<Record<Side, GuardAction>> = { input: 'block', output: 'redact' };

/** What a guard does on a side; undefined where it is not asked there. */
export function actionOf(guards: Guards, kind: GuardKind, side: Side): GuardAction | undefined {
  const found = guards[side].find(({ guard }) => guard === kind);
  return found && (found.action ?? usual[side]);
}

/** What rules say, or a judge goes by. Both sides have the same. */
export function wordsOf({ input, output }: Guards, kind: GuardKind): Pick<AppGuard, 'text' | 'agent'> {
  const { text = '', agent } = [...input, ...output].find(({ guard }) => guard === kind) ?? {};
  return { text, agent };
}

/** A guard does something else on a side, or nothing any more. */
export function withAction(kind: GuardKind, side: Side, action: GuardAction | undefined): AppEdit {
  return changing((guards) => {
    const others = guards[side].filter(({ guard }) => guard !== kind);
    if (action === undefined) return { ...guards, [side]: others };
    const own = guards[side].filter(({ guard }) => guard === kind);
    if (own.length > 0) return { ...guards, [side]: replaced(guards[side], kind, { action }) };
    return { ...guards, [side]: [...others, { ...copied(guards, kind), action }] };
  });
}

/** What rules say, or who judges by what, on each side where they are asked; on both, where they were asked nowhere. */
export function withWords(kind: GuardKind, words: Pick<AppGuard, 'text' | 'agent'>): AppEdit {
  return changing((guards) => {
    const isAsked = [...guards.input, ...guards.output].some(({ guard }) => guard === kind);
    const change = (side: Side): AppGuard[] =>
      isAsked ? replaced(guards[side], kind, words) : [...guards[side], { guard: kind, ...words }];
    return { ...guards, input: change('input'), output: change('output') };
  });
}

export function withCover(covers: Guards['covers']): AppEdit {
  return changing((guards) => ({ ...guards, covers }));
}

function changing(change: (guards: Guards) => Guards): AppEdit {
  return (app) => ({ ...app, guards: change(app.guards) });
}

function replaced(guards: readonly AppGuard[], kind: GuardKind, change: Partial<AppGuard>): AppGuard[] {
  return guards.map((each) => (each.guard === kind ? { ...each, ...change } : each));
}

/** A guard as the other side has it, so that both look for the same. */
function copied({ input, output }: Guards, kind: GuardKind): AppGuard {
  const { action: _, ...same } = [...input, ...output].find(({ guard }) => guard === kind) ?? { guard: kind };
  return same;
}
