import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { vitrineClient } from 'vitrine/client';
import { RunView, useVitrine, VitrineProvider } from 'vitrine/react';

function Ask() {
  const vitrine = useVitrine();
  const [run, setRun] = useState('');
  const ask = async (form: FormData) => {
    const text = form.get('text');
    if (typeof text === 'string') setRun((await vitrine.start({ text })).run);
  };
  return (
    <>
      <form action={ask}>
        <input name="text" aria-label="What to ask" />
      </form>
      {run !== '' && <RunView run={run} />}
    </>
  );
}

const root = createRoot(document.getElementById('root') ?? document.body);
root.render(
  <VitrineProvider client={vitrineClient({ url: location.origin })}>
    <Ask />
  </VitrineProvider>,
);
