import { useState, type FormEvent, type ReactNode } from 'react';
import { askFor } from '../../../src/client/ask.ts';
import { RunError } from '../../../src/client/client.ts';
import { visible } from '../../../src/run/visible.ts';
import { signIn } from '../../../src/wire/native/people.ts';
import { base } from '../base.ts';
import { addressOf } from '../routing.tsx';
import { useTexts } from '../texts/texts.ts';

/** Why a link that was followed did not sign in. */
let linkProblem = '';
const here = { url: location.origin + base };

/** A link that signs in is good once, and nothing of it stays in the address. */
export async function signInByLink(): Promise<void> {
  const [, link] = /^#sign-in=(.+)$/.exec(location.hash) ?? [];
  if (link === undefined) return;
  history.replaceState(null, '', addressOf.chat());
  await askFor(here, signIn, { body: { link } }).catch((thrown: unknown) => {
    linkProblem = thrown instanceof RunError ? thrown.message : String(thrown);
  });
}

/** Where the server wants to know who asks. */
export function SignIn(): ReactNode {
  const t = useTexts();
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState(linkProblem);
  const present = (event: FormEvent): void => {
    event.preventDefault();
    askFor(here, signIn, { body: { key } }).then(
      () => location.reload(),
      (thrown: unknown) => setProblem(thrown instanceof RunError ? thrown.message : String(thrown)),
    );
  };
  return (
    <main className="sign-in">
      <form className="card" onSubmit={present}>
        <h1 className="text-[15px] font-semibold">{t.signIn.title}</h1>
        <p className="quiet">{t.signIn.hint}</p>
        {problem !== '' && (
          <p className="problem" role="alert">
            {visible(problem)}
          </p>
        )}
        <input type="text" name="who" autoComplete="username" hidden readOnly />
        <label className="label" htmlFor="key">
          {t.signIn.key}
        </label>
        <input
          className="field"
          id="key"
          name="key"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
        <button type="submit" className="button primary">
          {t.signIn.go}
        </button>
      </form>
    </main>
  );
}
