import { Menu } from '@base-ui/react/menu';
import { Check, SlidersHorizontal } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import type { OwnPreferences } from '../../../src/wire/native/people.ts';
import { loadPreferences, prefer, preferVerbosity } from '../own-preferences.ts';
import { useSetting } from '../setting.ts';
import { verbosity, type Verbosity } from '../steps/run-view.tsx';
import { useTexts } from '../texts/texts.ts';

/** How much is shown of runs, and how the inner steps of other agents are: both are kept for the person. */
export function VerbositySwitch(): ReactNode {
  const t = useTexts();
  const chosen = useSetting(verbosity);
  const levels = [
    { level: 'answer', name: t.verbosity.answer },
    { level: 'steps', name: t.verbosity.steps },
    { level: 'everything', name: t.verbosity.everything },
  ] as const;
  return (
    <>
      <div className="segments" role="group" aria-label={t.verbosity.label}>
        {levels.map(({ level, name }) => (
          <button
            key={level}
            type="button"
            aria-pressed={chosen === level}
            onClick={() => preferVerbosity(level)}
          >
            {name}
          </button>
        ))}
      </div>
      <StagesMenu />
    </>
  );
}

type Stages = NonNullable<OwnPreferences['stages']>;

function StagesMenu(): ReactNode {
  const t = useTexts();
  const chosen = useSetting(verbosity);
  const [own, setOwn] = useState<OwnPreferences>({});
  useEffect(() => {
    loadPreferences().then(setOwn, () => undefined);
  }, []);
  const { answer, steps, everything } = t.verbosity;
  const levels = { answer, steps, everything };
  const preferStages = (stages: Stages): void => {
    // What is on the screen was asked for in the old way.
    prefer({ stages }).then(
      () => location.reload(),
      () => undefined,
    );
  };
  return (
    <Menu.Root>
      <Menu.Trigger className="button ghost small square" aria-label={t.verbosity.label}>
        <SlidersHorizontal className="icon" aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="placed" sideOffset={6} align="end">
          <Menu.Popup className="menu">
            <p className="label">{t.verbosity.label}</p>
            <Menu.RadioGroup value={chosen} onValueChange={preferVerbosity}>
              {(Object.keys(levels) as Verbosity[]).map((level) => (
                <Menu.RadioItem key={level} className="item" value={level}>
                  <Check className="icon small" aria-hidden />
                  {levels[level]}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <p className="label">{t.verbosity.stages}</p>
            <Menu.RadioGroup value={own.stages ?? 'nested'} onValueChange={preferStages}>
              {(Object.keys(t.verbosity.stage) as Stages[]).map((stages) => (
                <Menu.RadioItem key={stages} className="item" value={stages}>
                  <Check className="icon small" aria-hidden />
                  {t.verbosity.stage[stages]}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
