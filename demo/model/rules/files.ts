import { chooseFile, filesIn, focusOf, type ListedFile } from '../choose-file.ts';
import { list, number, text } from '../json.ts';
import { asked, call, offers, resultsOf, say, type Reply, type Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';
import { sentencesAbout, summarise } from '../summary.ts';
import type { Result } from '../tool-result.ts';
import { joined, plural } from '../words.ts';

/** Questions about the files of a folder: a summary, a listing, a search, or what a document says about something. */
export const files: Rule = {
  name: 'files',
  example: (situation) =>
    offers(situation, 'read_file') &&
    'list the files, summarise one of them by its name, or find “timeout” in the files',
  reply(situation) {
    const question = asked(situation);
    if (!hasFiles(situation)) return undefined;
    if (isSearch(question) && canOrDid(situation, 'search_files')) return search(situation, question);
    if (isListing(question)) return listing(situation);
    if (isAboutDocument(question)) return aboutDocument(situation, question);
    return undefined;
  },
};

function hasFiles(situation: Situation): boolean {
  return ['list_files', 'read_file', 'search_files'].some((tool) => canOrDid(situation, tool));
}

function canOrDid(situation: Situation, tool: string): boolean {
  return offers(situation, tool) !== undefined || resultsOf(situation, tool).length > 0;
}

function isSearch(question: string): boolean {
  return /\b(?:find|search|grep|where (?:is|are|does)|which files? (?:mentions?|contains?|ha(?:s|ve)))\b/i.test(
    question,
  );
}

function isListing(question: string): boolean {
  return (
    /\b(?:list|which|what|show)\b[^.?]*\b(?:files|documents|folders)\b/i.test(question) &&
    !/\bsay|about\b/i.test(question)
  );
}

function isAboutDocument(question: string): boolean {
  return (
    /\b(?:summar|tl;?dr|overview|key points|gist)/i.test(question) ||
    /\b(?:read|open|show|explain|describe|quote)\b[^.?]*(?:\b(?:document|file|page|notes?|readme)\b|\.\w{2,4}\b)/i.test(
      question,
    ) ||
    /\bwhat (?:does|do|is)\b[^?]*\b(?:document|file|page|readme|notes|\w+\.\w{2,4})\b/i.test(question)
  );
}

function listing(situation: Situation): Reply | undefined {
  const [listed] = resultsOf(situation, 'list_files');
  const tool = offers(situation, 'list_files');
  if (!listed) return tool && call(tool, {}, 'the question asks which files there are');
  if (!listed.isOk) return say(`The files cannot be listed: ${listed.error}`, 'the listing failed');
  const found = filesIn(list(listed.value, 'entries'));
  const lines = found.slice(0, 50).map(({ path, size }) => `- \`${path}\` (${plural(size, 'byte')})`);
  const more = found.length > lines.length ? `\n\nAnd ${found.length - lines.length} more.` : '';
  return say(
    `There are ${plural(found.length, 'file')}:\n\n${lines.join('\n')}${more}`,
    'the listing is there',
  );
}

function search(situation: Situation, question: string): Reply | undefined {
  const [found] = resultsOf(situation, 'search_files');
  const tool = offers(situation, 'search_files');
  const words = quotedOrLast(question);
  if (!found) return tool && call(tool, { query: words }, `the question asks where “${words}” stands`);
  if (!found.isOk) return say(`The search failed: ${found.error}`, 'the search failed');
  const matches = list(found.value, 'matches');
  if (matches.length === 0) return say(`“${words}” stands in none of the files.`, 'nothing was found');
  const lines = matches
    .slice(0, 10)
    .map(
      (match) =>
        `- \`${text(match, 'path')}\`, line ${number(match, 'line')}: “${text(match, 'text').trim()}”`,
    );
  const paths = new Set(matches.map((match) => text(match, 'path')));
  const many = `“${words}” stands in ${plural(matches.length, 'line')} of ${plural(paths.size, 'file')}`;
  return say(`${many}:\n\n${lines.join('\n')}`, 'the matches are there');
}

/** What is in quotation marks, or else what follows the verb. */
function quotedOrLast(question: string): string {
  const quoted = /["“'`]([^"”'`]+)["”'`]/.exec(question)?.[1];
  const after =
    /\b(?:find|search(?: for)?|grep(?: for)?|where (?:is|are|does)|mentions?|contains?|ha(?:s|ve))\s+(?:the (?:word|text) )?(.+?)(?:\s+(?:in|mentioned|used|stand|appear)\b.*)?[?.!]?$/i.exec(
      question.trim(),
    )?.[1];
  return quoted ?? after ?? question.trim();
}

/** List, choose by name (or else by what the files say), read, and quote. */
function aboutDocument(situation: Situation, question: string): Reply | undefined {
  const [read] = resultsOf(situation, 'read_file');
  if (read?.isOk) return say(quoteFrom(read, question), 'the document is there');
  const [listed] = resultsOf(situation, 'list_files');
  const [lister, reader, searcher] = ['list_files', 'read_file', 'search_files'].map((name) =>
    offers(situation, name),
  );
  if (!listed && !read) return lister && call(lister, {}, 'first see which documents there are');
  const found = filesIn(list(listed?.value, 'entries'));
  if (read) return say(`The document cannot be read: ${read.error}\n\n${named(found)}`, 'reading failed');
  if (listed && !listed.isOk) return say(`The files cannot be listed: ${listed.error}`, 'the listing failed');
  const choice = chooseFile(found, question);
  if (!choice)
    return say('There is no file in that folder, so there is nothing to summarise.', 'nothing is there');
  const [searched] = resultsOf(situation, 'search_files');
  const [word] = focusOf(question);
  if (!choice.fits && !searched && searcher && word !== undefined)
    return call(
      searcher,
      { query: word },
      `no file is named like the question, so look for “${word}” in them`,
    );
  const path = choice.fits ? choice.path : (mostMatches(list(searched?.value, 'matches')) ?? choice.path);
  if (!reader)
    return say(`No tool can read \`${path}\` any more. ${named(found)}`, 'there is nothing to read with');
  const why = choice.fits ? 'its name fits the question best' : 'it fits best of what there is';
  return call(reader, { path }, `read ${path}: ${why}`);
}

function mostMatches(matches: readonly Parameters<typeof text>[0][]): string | undefined {
  const counts = new Map<string, number>();
  for (const match of matches) {
    const path = text(match, 'path');
    counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
}

function named(found: readonly ListedFile[]): string {
  return found.length === 0
    ? ''
    : `There are: ${joined(found.slice(0, 20).map(({ path }) => `\`${path}\``))}.`;
}

function quoteFrom({ value, isCut }: Result, question: string): string {
  const [path, body] = [text(value, 'path'), text(value, 'text')];
  const about = /\babout\s+(.+?)[?.!]*$/i.exec(question)?.[1];
  const wanted = about === undefined ? [] : sentencesAbout(body, focusOf(about), 5);
  if (wanted.length > 0)
    return `\`${path}\` says about ${about}:\n\n${wanted.map(({ text: sentence }) => `- “${sentence}”`).join('\n')}`;
  const { title, sections, quotes, of } = summarise(body, focusOf(question));
  if (quotes.length === 0) return `\`${path}\` has no sentences to quote.`;
  const head = title === '' ? `\`${path}\`` : `**${title}** (\`${path}\`)`;
  const parts = sections.length > 1 ? ` It has the parts ${joined(sections.slice(0, 12))}.` : '';
  const points = quotes.map(({ text: sentence, section }, i) => {
    const isNew = section !== '' && section !== title && section !== quotes[i - 1]?.section;
    return `- ${isNew ? `*${section}*: ` : ''}“${sentence}”`;
  });
  const share =
    quotes.length === of ? 'All it says' : `What it says, in ${quotes.length} of its ${of} sentences`;
  const end = isCut ? '\n\nOnly its beginning was shown to me.' : '';
  return `${head}.${parts} ${share}, word for word:\n\n${points.join('\n')}${end}`;
}
