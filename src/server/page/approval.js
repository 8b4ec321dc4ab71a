// A question to a person. Nothing can be approved before all of it is on the page.
import { ask } from './ask.js';
import { exactText, visible } from './visible.js';

/** Draws a question; `command` sends what is decided, about exactly what is shown. */
export function drawApproval(approval, command) {
  const { id, title, message, fingerprint, allowed } = approval;
  const box = made('div', '');
  box.className = 'approval';
  box.dataset.approval = id;
  const shown = made('div', 'Loading all of it …');
  const refused = made('p', '');
  refused.className = 'refused';
  const buttons = ['approve', 'reject']
    .filter((each) => allowed.includes(each))
    .map((decision) => {
      const button = made('button', decision[0].toUpperCase() + decision.slice(1));
      if (decision === 'approve') Object.assign(button, { className: 'go', disabled: true });
      button.addEventListener('click', async () => {
        const enabled = [...box.querySelectorAll('button:enabled')];
        for (const each of enabled) each.disabled = true;
        const thrown = await command(`/api/approvals/${encodeURIComponent(id)}`, { decision, fingerprint });
        refused.textContent = visible(thrown?.message ?? '');
        // What was refused is still open, for another decision or once the reason is gone.
        if (thrown) for (const each of enabled) each.disabled = false;
      });
      return button;
    });
  box.append(made('h3', visible(title)), made('p', visible(message ?? '')), shown, ...buttons, refused);
  void show(approval, shown).then(
    () => box.querySelector('.go')?.removeAttribute('disabled'),
    (thrown) =>
      shown.replaceChildren(
        made('p', `It cannot be shown, so it cannot be approved here: ${thrown.message}`),
      ),
  );
  return box;
}

/** Only what the server marks is a reference; whatever else looks like one is somebody's own. */
async function show({ arguments: given, references = [], exchange }, place) {
  const parts = [];
  if (exchange) {
    parts.push(made('p', 'It was asked last:'), quote(await textOf(exchange.asked)));
    parts.push(made('p', 'and answered:'), quote(await textOf(exchange.answered)));
  }
  const value = references.includes('arguments') ? await kept(given) : given;
  if (value !== undefined && value !== null) parts.push(made('pre', exactText(value)));
  place.replaceChildren(...parts);
}

function textOf(said) {
  return typeof said === 'string' ? said : kept(said);
}

function kept({ blob }) {
  return ask(`/api/files/${encodeURIComponent(blob)}`);
}

function quote(text) {
  return made('blockquote', visible(String(text)));
}

function made(name, words) {
  const element = document.createElement(name);
  element.textContent = words;
  return element;
}
