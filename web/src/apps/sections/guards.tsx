import { Gavel, ListChecks, Scale, Shield, UserRound, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { GuardAction } from '../../../../src/wire/native/app-body.ts';
import { useAppTexts } from '../../texts/app-texts.ts';
import { useDesk } from '../app-desk.ts';
import { ChoiceField, FieldPlace, Segments, TextField } from '../fields.tsx';
import { GuardTrial } from '../guard-trial.tsx';
import type { AppEdit } from '../model/app-edits.ts';
import {
  actionOf,
  withAction,
  withCover,
  withWords,
  wordsOf,
  type GuardKind,
  type Side,
} from '../model/guard-edits.ts';

const kinds: readonly (readonly [GuardKind, LucideIcon])[] = [
  ['pii', UserRound],
  ['safety', Shield],
  ['compliance', Scale],
  ['rules', ListChecks],
  ['judge', Gavel],
];
const sides: readonly Side[] = ['input', 'output'];

/** What may come in and go out, guard by guard, and what that makes of a text. */
export function Guards(): ReactNode {
  const a = useAppTexts();
  const { app, edit, isReadOnly } = useDesk();
  return (
    <>
      <div className="card app-guards">
        {kinds.map(([kind, icon]) => (
          <GuardLine key={kind} kind={kind} icon={icon} />
        ))}
      </div>
      <FieldPlace field="guards.covers" label={a.guards.covers} isGroup>
        {() => (
          <Segments
            label={a.guards.covers}
            value={app.guards.covers}
            choices={[
              ['answer', a.guards.coversOf.answer],
              ['everything', a.guards.coversOf.everything],
            ]}
            isReadOnly={isReadOnly}
            change={(covers) => edit(withCover(covers))}
          />
        )}
      </FieldPlace>
      <GuardTrial guards={app.guards} />
    </>
  );
}

function GuardLine({ kind, icon: Icon }: { readonly kind: GuardKind; readonly icon: LucideIcon }): ReactNode {
  const a = useAppTexts();
  const { app, parts, edit, isReadOnly } = useDesk();
  const name = a.guards.names[kind];
  const narrowed = [...app.guards.input, ...app.guards.output].find(
    ({ guard }) => guard === kind,
  )?.categories;
  // A judge says what is wrong with the whole text: there is nothing to redact in it.
  const actions: readonly GuardAction[] = kind === 'judge' ? ['block', 'ask'] : ['redact', 'block', 'ask'];
  const choosing = (side: Side, action: GuardAction | undefined): AppEdit => {
    const [first] = parts.models;
    const isNew = kind === 'judge' && action !== undefined && wordsOf(app.guards, kind).agent === undefined;
    const acting = withAction(kind, side, action);
    return isNew ? (before) => withWords(kind, { agent: first?.name })(acting(before)) : acting;
  };
  const choices = (['off', ...actions] as const).map((one) => [one, a.guards.actions[one]] as const);
  return (
    <div className="app-guard" data-guard={kind}>
      <Icon className="icon" aria-hidden />
      <div>
        <b>{name}</b>
        <p className="quiet">{narrowed ? a.guards.onlySome(narrowed.join(', ')) : a.guards.about[kind]}</p>
      </div>
      <div className="app-guard-sides">
        {sides.map((side) => (
          <span key={side} data-side={side}>
            <span className="quiet" aria-hidden>
              {a.guards.sides[side]}
            </span>
            <Segments
              label={a.guards.side(name, a.guards.sides[side])}
              value={actionOf(app.guards, kind, side) ?? 'off'}
              choices={choices}
              isReadOnly={isReadOnly}
              change={(action) => edit(choosing(side, action === 'off' ? undefined : action))}
            />
          </span>
        ))}
      </div>
      {kind === 'rules' && <Rules />}
      {kind === 'judge' && <Judge />}
    </div>
  );
}

function Rules(): ReactNode {
  const a = useAppTexts();
  const { app, edit } = useDesk();
  return (
    <TextField
      field={fieldOf(app.guards, 'rules')}
      label={a.guards.rules}
      rows={4}
      isCode
      value={wordsOf(app.guards, 'rules').text}
      change={(text) => edit(withWords('rules', { text }), 'rules')}
    />
  );
}

function Judge(): ReactNode {
  const a = useAppTexts();
  const { app, parts, edit } = useDesk();
  const { text, agent } = wordsOf(app.guards, 'judge');
  const isAsked = sides.some((side) => actionOf(app.guards, 'judge', side) !== undefined);
  if (!isAsked) return undefined;
  return (
    <>
      <ChoiceField
        field={`${fieldOf(app.guards, 'judge').replace(/text$/, 'agent')}`}
        label={a.guards.judgeAgent}
        value={agent}
        choices={parts.models}
        change={(chosen) => edit(withWords('judge', { agent: chosen }))}
      />
      <TextField
        field={fieldOf(app.guards, 'judge')}
        label={a.guards.judgeText}
        rows={3}
        value={text}
        change={(words) => edit(withWords('judge', { text: words }), 'judge')}
      />
    </>
  );
}

/** Where what a guard says stands, as the server names it: on the first side that has it. */
function fieldOf(guards: Record<Side, readonly { readonly guard: GuardKind }[]>, kind: GuardKind): string {
  const side = sides.find((one) => guards[one].some(({ guard }) => guard === kind)) ?? 'input';
  const index = guards[side].findIndex(({ guard }) => guard === kind);
  return `guards.${side}.${Math.max(0, index)}.text`;
}
