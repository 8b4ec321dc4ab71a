import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import { useSource, useVitrine } from '../../../src/react/react.ts';
import type { Problem } from '../../../src/run/failure-schema.ts';
import type { AppBody } from '../../../src/wire/native/app-body.ts';
import type { AppDraft, AppParts } from '../../../src/wire/native/apps.ts';
import { DraftKeeper, type Saving } from '../editing/draft-keeper.ts';
import { Editing } from '../editing/editing.ts';
import { keptApp, type AppEdit } from './model/app-edits.ts';
import { sectionOf } from './model/sections.ts';
import type { LoadedApp } from './use-app.ts';

/** Everything that an application is worked on with. */
export interface AppDesk {
  readonly name: string;
  readonly app: AppBody;
  readonly parts: AppParts;
  readonly isReadOnly: boolean;
  readonly editing: Editing<AppBody>;
  readonly keeper: DraftKeeper<AppBody, AppDraft>;
  readonly saving: Saving<AppDraft>;
  /** `topic` names the field: what is written there in one go is taken back at once. */
  readonly edit: (edit: AppEdit, topic?: string) => void;
  /** What publish still lacks, as of what was saved last. */
  readonly lacks: readonly Problem[];
  /** What does not fit, so that it was not saved. */
  readonly problems: readonly Problem[];
  /** The field that somebody was led to. */
  readonly sought: string | undefined;
}

export function useAppDesk({ draft, parts }: LoadedApp, sought: string | undefined): AppDesk {
  const { applications } = useVitrine();
  const { name, readOnly: isReadOnly } = draft;
  const [{ editing, keeper }] = useState(() => {
    const made = new Editing(draft.app);
    const shelf = {
      read: () => applications.draft(name),
      save: (app: AppBody, revision: number) => applications.save(name, keptApp(app), revision),
    };
    return { editing: made, keeper: new DraftKeeper(shelf, made, draft.revision) };
  });
  const { draft: app } = useSource(editing);
  const saving = useSource(keeper);
  useEffect(() => (isReadOnly ? undefined : keeper.follow()), [keeper, isReadOnly]);
  const { lacks } = saving.kept ?? draft;
  const problems = useMemo(() => onceEach(saving.failure?.problems ?? []), [saving.failure]);
  const edit = (change: AppEdit, topic?: string): void => editing.edit(change, topic);
  return { name, app, parts, isReadOnly, editing, keeper, saving, edit, lacks, problems, sought };
}

/** Rules stand on both sides of an application: what is wrong with them is said once. */
function onceEach(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(
    ({ problem, field }, i) =>
      problems.findIndex((one) => one.problem === problem && sectionOf(one.field) === sectionOf(field)) === i,
  );
}

const DeskContext = createContext<AppDesk | undefined>(undefined);
export const DeskProvider = DeskContext.Provider;

export function useDesk(): AppDesk {
  const desk = useContext(DeskContext);
  if (!desk) throw new Error('there is no application here to be edited');
  return desk;
}
