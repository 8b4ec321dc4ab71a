import { Menu } from '@base-ui/react/menu';
import { Check, Sun } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { ask, askFor } from '../../../src/client/ask.ts';
import { visible } from '../../../src/run/visible.ts';
import { readMe, signOut, type Known } from '../../../src/wire/native/people.ts';
import { addressOf, navigate } from '../routing.tsx';
import { useSetting, type Setting } from '../setting.ts';
import { server } from '../server.ts';
import { languages, languageSetting, useTexts } from '../texts/texts.ts';
import { theme } from './theme.ts';

/** Who one is here, and how one likes the app to look and speak. */
export function Person(): ReactNode {
  const t = useTexts();
  const [me, setMe] = useState<Known>();
  useEffect(() => {
    askFor(server, readMe, {}).then(setMe, () => setMe(undefined));
  }, []);
  const name = visible(me?.who ?? '');
  const themes = { system: t.theme.system, light: t.theme.light, dark: t.theme.dark };
  const spoken = { en: languages.en.language, de: languages.de.language };
  return (
    <div className="foot">
      <span className="person" aria-hidden>
        {initials(name)}
      </span>
      <span className="grow cut side-name">{name}</span>
      <Menu.Root>
        <Menu.Trigger className="button ghost small square" aria-label={t.theme.change}>
          <Sun className="icon" aria-hidden />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className="placed" sideOffset={6} align="end">
            <Menu.Popup className="menu">
              <Choices of={theme} names={themes} />
              <hr />
              <Choices of={languageSetting} names={spoken} />
              <hr />
              <Menu.Item className="item" onClick={() => navigate(addressOf.api)}>
                {t.nav.api}
              </Menu.Item>
              {me && me.who !== 'local' && (
                <>
                  <hr />
                  <Menu.Item className="item" onClick={() => void leave()}>
                    {t.signIn.out}
                  </Menu.Item>
                </>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </div>
  );
}

async function leave(): Promise<void> {
  await ask(server, signOut, {}).catch(() => undefined);
  location.assign(addressOf.chat());
}

/** The choices of a setting, in a menu that is open. */
function Choices<T extends string>({
  of,
  names,
}: {
  readonly of: Setting<T>;
  readonly names: Readonly<Record<T, string>>;
}): ReactNode {
  const chosen = useSetting(of);
  return (
    <Menu.RadioGroup value={chosen} onValueChange={(value: T) => of.set(value)}>
      {Object.entries<string>(names).map(([value, name]) => (
        <Menu.RadioItem key={value} className="item" value={value}>
          <Check className="icon small" aria-hidden />
          {name}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}

function initials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  return words
    .slice(0, 2)
    .map((word) => word[0]?.toUpperCase() ?? '')
    .join('');
}
