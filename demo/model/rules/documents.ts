import { field, list, number, text, type Json } from '../json.ts';
import { asked, call, offers, resultsOf, say, type Rule } from '../rule.ts';
import { stems } from '../words.ts';

/** Questions that documents may answer: search them, quote the best passages, and say where each stands. */
export const documents: Rule = {
  name: 'documents',
  example: (situation) =>
    offers(situation, 'search_documents') && 'what do the documents say about maintenance windows?',
  reply(situation) {
    const question = asked(situation);
    const [found] = resultsOf(situation, 'search_documents');
    const tool = offers(situation, 'search_documents');
    if (!found) {
      const query = topicOf(question);
      if (!tool || query === '' || !isQuestion(question)) return undefined;
      return call(tool, { query }, `look for “${query}” in the documents`);
    }
    if (!found.isOk) return say(`The documents cannot be searched: ${found.error}`, 'the search failed');
    const passages = list(found.value, 'results');
    // Nothing was found, so this rule knows nothing; what can be asked is said where no rule does.
    if (passages.length === 0) return undefined;
    return say(cited(passages.slice(0, 4)), 'passages were found');
  },
};

function isQuestion(question: string): boolean {
  return /\?|\b(?:what|how|who|when|why|which|where|search|look up|find|say|explain|tell me|according|documents?|handbook|policy|summar)/i.test(
    question,
  );
}

/** The words worth looking for. */
function topicOf(question: string): string {
  const words = question.match(/[\p{L}\p{N}][\p{L}\p{N}-]*/gu) ?? [];
  const idle =
    /^(?:documents?|docs?|search|look|find|say|says|according|explain|tell|handbooks?|summari[sz]e|summary)$/i;
  return words.filter((word) => stems(word).length > 0 && !idle.test(word)).join(' ');
}

function cited(passages: readonly Json[]): string {
  const points = passages.map((passage, i) => `- “${text(passage, 'quote')}” [${i + 1}]`);
  const sources = passages.map((passage, i) => {
    const lines = field(passage, 'lines');
    const where = `${text(passage, 'path')}#L${number(lines, 'from')}-L${number(lines, 'to')}`;
    return `[${i + 1}] ${text(passage, 'title')} (${where})`;
  });
  return `The documents say:\n\n${points.join('\n')}\n\nSources:\n${sources.join('\n')}`;
}
