import { asksForDeletion } from '../../user-service/deletion.ts';
import { field, list, number, text, type Json } from '../json.ts';
import { ordinalIn } from '../ordinal.ts';
import { asked, call, earlierResultsOf, offers, resultsOf, say, type Reply, type Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';
import { changeIn, emailIn, filterIn, idIn, personIn } from '../user-words.ts';
import { plural } from '../words.ts';

/** Users are listed, found, made, changed and deleted with the tools of the user service. */
export const users: Rule = {
  name: 'users',
  example: (situation) =>
    offers(situation, 'search_users') &&
    'list users named John, create user Ada King, change the city of the first one to Perth, delete the first one',
  reply(situation) {
    if (!offers(situation, 'search_users') && resultsOf(situation, 'search_users').length === 0)
      return undefined;
    const question = asked(situation);
    const done = outcome(situation);
    if (done) return done;
    if (asksForDeletion(question)) return onOne(situation, 'delete_user', {});
    if (/\b(?:create|add|register|new user)\b/i.test(question)) return create(situation, question);
    const change = /\b(?:change|set|update|rename|move)\b/i.test(question) ? changeIn(question) : undefined;
    if (change) return onOne(situation, 'update_user', change);
    if (idIn(question) !== undefined || ordinalIn(question) !== undefined)
      return onOne(situation, 'get_user', {});
    return isAboutUsers(question) ? search(situation, question) : undefined;
  },
};

function isAboutUsers(question: string): boolean {
  return (
    /\b(?:users?|people|accounts?|who|named|called|everyone|how many)\b/i.test(question) ||
    personIn(question) !== undefined
  );
}

/** What was done for this question is told; a failure too. */
function outcome(situation: Situation): Reply | undefined {
  const verbs = { delete_user: 'Deleted', create_user: 'Created', update_user: 'Changed', get_user: '' };
  for (const [tool, verb] of Object.entries(verbs)) {
    const [result] = resultsOf(situation, tool);
    if (!result) continue;
    if (!result.isOk) return say(`That did not work: ${result.error}`, `${tool} failed`);
    const user = field(result.value, 'user') ?? null;
    const total = field(result.value, 'total');
    const count = typeof total === 'number' ? ` There are ${plural(total, 'user')} now.` : '';
    return say(verb === '' ? `${line(user)}.` : `${verb} ${line(user)}.${count}`, `${tool} has been done`);
  }
  return undefined;
}

function search(situation: Situation, question: string): Reply | undefined {
  const [found] = resultsOf(situation, 'search_users');
  const tool = offers(situation, 'search_users');
  const filter = { ...personIn(question), ...filterIn(question) };
  if (!found) return tool && call(tool, filter, `look for ${JSON.stringify(filter)}`);
  if (!found.isOk) return say(`The users cannot be searched: ${found.error}`, 'the search failed');
  const total = field(found.value, 'total');
  const shown = list(found.value, 'users');
  const which = Object.values(filter).join(' ');
  const about = which === '' ? '' : ` for ${which}`;
  if (shown.length === 0) return say(`There are no users${about}.`, 'nobody was found');
  const count = typeof total === 'number' ? total : shown.length;
  const more = count > shown.length ? `\n\nThese are the first ${shown.length}.` : '';
  const lines = shown.map((user, i) => `${i + 1}. ${line(user)}`).join('\n');
  return say(`Found ${plural(count, 'user')}${about}:\n\n${lines}${more}`, 'users were found');
}

function create(situation: Situation, question: string): Reply | undefined {
  const tool = offers(situation, 'create_user');
  const person = personIn(question);
  if (!person)
    return say('Tell me the first and the last name, such as “create user Ada King”.', 'no name was said');
  const email = emailIn(question);
  const { city } = filterIn(question);
  return (
    tool &&
    call(
      tool,
      { ...person, ...(email && { email }), ...(city !== undefined && { city }) },
      'the message names a new user',
    )
  );
}

/** Do something to one user: the one with that number, that place in the last list, or that name. */
function onOne(
  situation: Situation,
  name: string,
  change: { readonly [key: string]: Json },
): Reply | undefined {
  // The new value of a change says nothing about whom it is for.
  const isChange = Object.keys(change).length > 0;
  const question = isChange ? asked(situation).replace(/\bto\s[\s\S]*$/i, '') : asked(situation);
  const tool = offers(situation, name);
  const id = idIn(question) ?? idOfPlace(situation, question) ?? idOfName(situation);
  if (typeof id === 'number')
    return tool ? call(tool, { id, ...change }, `${name} for user ${id}`) : unable(name);
  if (typeof id === 'string') return say(id, 'it is not clear who is meant');
  const filter = { ...personIn(question), ...filterIn(question) };
  const searcher = offers(situation, 'search_users');
  if (Object.keys(filter).length === 0 || !searcher)
    return say(
      'I do not know who is meant. List users first, or give a number such as “user 17”.',
      'nobody is named',
    );
  return call(searcher, filter, 'first find who is meant');
}

function unable(name: string): Reply {
  return say(`I have no tool ${name} for this message.`, `${name} is not offered`);
}

/** A place in the newest list, of this question or of one before. */
function idOfPlace(situation: Situation, question: string): number | string | undefined {
  const place = ordinalIn(question);
  if (place === undefined) return undefined;
  // “The first user named John” is first looked for; “the first one” is of the list that was given before.
  const isNamed = Object.keys(filterIn(question)).length > 0;
  const before = isNamed ? [] : earlierResultsOf(situation, 'search_users');
  const [newest] = [...resultsOf(situation, 'search_users'), ...before];
  if (!newest) return undefined;
  const id = field(list(newest.value, 'users').at(place), 'id');
  return typeof id === 'number' ? id : 'The list I gave is not that long.';
}

/** Of those a search by name has found: only one can be meant. */
function idOfName(situation: Situation): number | string | undefined {
  const [found] = resultsOf(situation, 'search_users');
  if (!found) return undefined;
  const matches = list(found.value, 'users');
  const id = field(matches[0], 'id');
  if (typeof id !== 'number') return 'There is no such user.';
  if (matches.length === 1) return id;
  const lines = matches.map((user, i) => `${i + 1}. ${line(user)}`).join('\n');
  return `There are ${matches.length} of them; say which one:\n\n${lines}`;
}

function line(user: Json): string {
  const name = `${text(user, 'first_name')} ${text(user, 'last_name')}`;
  const rest = [text(user, 'email'), text(user, 'city'), text(user, 'role')].filter((part) => part !== '');
  return `${name} (user ${number(user, 'id')}), ${rest.join(', ')}`;
}
