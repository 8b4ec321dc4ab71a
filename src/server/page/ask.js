import { visible } from './visible.js';

/** Ask the server; with a body, tell it something. Where it wants to know who asks, the person is asked. */
export async function ask(path, body) {
  const telling = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(path, body === undefined ? {} : telling);
  if (response.status === 401) return signIn();
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error?.message ?? `The server answered ${response.status}.`);
  problem(undefined);
  return answer;
}

/** What went wrong, for the person; nothing takes it away again. */
export function problem(thrown) {
  const place = document.getElementById('problem');
  place.hidden = thrown === undefined;
  place.textContent = visible(thrown?.message ?? '');
}

function signIn() {
  const form = document.getElementById('sign-in');
  form.hidden = false;
  document.querySelector('main').hidden = true;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void present({ key: form.elements.key.value });
  });
  // Nothing goes on until the page is loaded again, signed in.
  return new Promise(() => {});
}

async function present(credential) {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(credential);
  const response = await fetch('/api/sign-in', { method: 'POST', headers, body });
  if (response.ok) location.reload();
  else problem(new Error((await response.json()).error?.message));
}

/** A link that signs in is good once, and nothing of it stays in the address. */
export async function signInByLink() {
  const [, link] = /^#sign-in=(.+)$/.exec(location.hash) ?? [];
  if (link === undefined) return;
  history.replaceState(null, '', '/');
  await present({ link });
}
