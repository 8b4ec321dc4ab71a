/** Names of variables, headers and options whose value is a secret. */
export const secretName = /token|secret|passw|credential|api.?key|^key$|[-_]key$|auth|cookie/i;
/** What such an option names where a secret is, and not the secret. */
const placeName = /(?:file|path|dir|url|name|mode|type|method)$/i;
/** What stands in place of one. */
const hidden = '[redacted]';

const named = /^(?<before>-{0,2}(?<name>[\w.-]+)(?:=|:\s*))(?<value>.+)$/s;
const option = /^--?(?<name>[\w.-]+)$/;
const somewhere = /^(?:[-~/$]|\.{1,2}\/)/;
const userInfo = /(?<=:\/\/)[^/?#@\s]+(?=@)/g;
const afterQuestionMark = /[?#].*$/s;
/** How keys begin that services give out, and what chance makes. */
const known = /^(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[abprs]|AKIA|AIza|eyJ|vit|hf|npm)[-_\w.]{12,}$/;
const random = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[\w+=-]{20,}$|^[\da-f]{32,}$/;

/** A word of a command line, with what of it looks like a secret. */
interface Word {
  readonly shown: string;
  readonly secrets: readonly string[];
}

/** A command as it may be shown: a secret that was written into it is taken out, whether it is known to be one or not. */
export function shownCommand(command: readonly string[]): readonly string[] {
  return command.map((word, i) => readWord(word, command[i - 1]).shown);
}

/** An address as it may be shown: without whoever comes, and what is behind the question mark. */
export function shownAddress(address: string): string {
  return readAddress(address).shown;
}

/** What looks like a secret in a command, as far as it can be told from a word. */
export function secretsInCommand(command: readonly string[]): readonly string[] {
  return command
    .flatMap((word, i) => readWord(word, command[i - 1]).secrets)
    .filter((secret) => !/^[a-z-]+$/.test(secret));
}

export function secretsInAddress(address: string): readonly string[] {
  return readAddress(address).secrets;
}

function readWord(word: string, before = ''): Word {
  if (word.includes('://')) return readAddress(word);
  const { before: begun = '', name = '', value = '' } = named.exec(word)?.groups ?? {};
  if (isSecret(name, value)) return { shown: `${begun}${hidden}`, secrets: [lastWordOf(value)] };
  if (isSecret(option.exec(before)?.groups?.['name'] ?? '', word) || looksSecret(word))
    return { shown: hidden, secrets: [lastWordOf(word)] };
  return looksSecret(value) ? { shown: `${begun}${hidden}`, secrets: [value] } : { shown: word, secrets: [] };
}

function readAddress(address: string): Word {
  const [query = ''] = afterQuestionMark.exec(address) ?? [];
  const path = address.slice(0, address.length - query.length);
  const users = path.match(userInfo) ?? [];
  const parts = path.split('/').filter(looksSecret);
  const values = [...new URLSearchParams(query.slice(1))].filter(
    ([name, value]) => secretName.test(name) || looksSecret(value),
  );
  const shown = path
    .replaceAll(userInfo, hidden)
    .split('/')
    .map((part) => (looksSecret(part) ? hidden : part))
    .join('/');
  const secrets = [
    ...users.flatMap((user) => user.split(':')),
    ...parts,
    ...values.map(([, value]) => value),
  ];
  return { shown: query === '' ? shown : `${shown}?…`, secrets };
}

function isSecret(name: string, value: string): boolean {
  return secretName.test(name) && !placeName.test(name) && value !== '' && !somewhere.test(value);
}

function looksSecret(value: string): boolean {
  return known.test(value) || random.test(value);
}

/** Of `Bearer sk-…` the key. */
function lastWordOf(value: string): string {
  return value.trim().split(/\s+/).at(-1) ?? '';
}
