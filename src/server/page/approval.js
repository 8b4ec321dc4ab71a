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
async function show({ arguments: given, references = [], exchange, attachments = [], history }, place) {
  const parts = [];
  if (exchange) {
    parts.push(made('p', 'It was asked last:'), quote(await textOf(exchange.asked)));
    parts.push(made('p', 'and answered:'), quote(await textOf(exchange.answered)));
    if (exchange.outcome) parts.push(made('p', visible(exchange.outcome)));
  }
  if (history) {
    parts.push(made('p', 'Sent before it:'));
    for (const said of references.includes('history') ? await kept(history) : history) {
      parts.push(quote(`${said.role}: ${said.text}`));
      if (said.calls) parts.push(made('pre', exactText(said.calls)));
      for (const one of said.attachments ?? []) parts.push(...(await hanging(one)));
    }
  }
  const value = references.includes('arguments') ? await kept(given) : given;
  if (value !== undefined && value !== null) parts.push(made('pre', exactText(value)));
  if (attachments.length > 0) parts.push(made('p', 'Sent with it, also after an edit:'));
  for (const one of attachments) parts.push(...(await hanging(one)));
  place.replaceChildren(...parts);
}

/** What hangs on a message: its name, and all that it says. */
async function hanging({ title, type, data, url, blob }) {
  const said = blob ? await kept(blob) : data;
  const size = said === undefined ? '' : `, ${said.length} characters`;
  const parts = [quote(`${title ?? 'An attachment'} (${type}${size})`)];
  if (said ?? url) parts.push(made('pre', exactText(said ?? url)));
  return parts;
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
