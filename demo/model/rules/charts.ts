import { seriesCode } from '../calculation.ts';
import { list, text, type Json } from '../json.ts';
import { asked, call, offers, resultsOf, say, type Reply, type Rule } from '../rule.ts';
import type { OfferedTool, Situation } from '../situation.ts';
import { plural } from '../words.ts';

interface Series {
  readonly labels: readonly string[];
  readonly values: readonly number[];
}

/** Charts of numbers that stand in the message, come out of a calculation, or lie in a file. */
export const charts: Rule = {
  name: 'charts',
  example: (situation) =>
    offers(situation, 'draw_chart') &&
    'draw a chart of the first 12 fibonacci numbers, or of Sydney 4, Perth 7, Hobart 2',
  reply(situation) {
    const question = asked(situation);
    if (!/\b(?:chart|plot|draw|graph of|histogram)\b/i.test(question)) return undefined;
    const [drawn] = resultsOf(situation, 'draw_chart');
    if (drawn) {
      return drawn.isOk
        ? say(
            `Here is the chart: **${text(drawn.value, 'title')}**, ${text(drawn.value, 'finding')}`,
            'the chart is drawn',
          )
        : say(`The chart cannot be drawn: ${drawn.error}`, 'drawing failed');
    }
    const tool = offers(situation, 'draw_chart');
    return tool && (drawSaid(tool, question) ?? drawCalculated(situation, tool) ?? drawFile(situation, tool));
  },
};

function draw(tool: OfferedTool, title: string, { labels, values }: Series): Reply {
  const kind = values.length > 40 ? 'line' : 'bar';
  return call(tool, { title, kind, labels, values }, `draw ${plural(values.length, 'value')}`);
}

/** “Sydney 4, Perth 7” or “3, 5, 8”. */
function drawSaid(tool: OfferedTool, question: string): Reply | undefined {
  const pairs = [
    ...question.matchAll(/(\p{L}[\p{L} .'-]*?)[:=]?\s+(-?\d+(?:\.\d+)?)(?=\s*(?:,|;|and\b|$|[.?!]\s*$))/gu),
  ];
  const numbers = /(?:^|\s)(-?\d+(?:\.\d+)?(?:\s*,\s*-?\d+(?:\.\d+)?){2,})/.exec(question)?.[1];
  if (numbers !== undefined) {
    const values = numbers.split(',').map(Number);
    return draw(tool, 'Numbers', { labels: values.map((_, i) => String(i + 1)), values });
  }
  if (pairs.length < 2) return undefined;
  const labels = pairs.map(([, label = '']) => label.replace(/^.*\b(?:of|for|with|and)\s+/i, '').trim());
  return draw(tool, labels.join(', '), { labels, values: pairs.map(([, , value]) => Number(value)) });
}

/** “The first 12 fibonacci numbers”: calculate them, then draw what came out. */
function drawCalculated(situation: Situation, tool: OfferedTool): Reply | undefined {
  const [, count, name] = /\b(?:first|to)\s+(\d+)\s+(fibonacci|factorial)/i.exec(asked(situation)) ?? [];
  if (count === undefined || name === undefined) return undefined;
  const code = seriesCode(name.toLowerCase(), Math.min(Number(count), 100));
  const [ran] = resultsOf(situation, 'run_javascript');
  const runner = offers(situation, 'run_javascript');
  if (!ran)
    return runner && code !== undefined ? call(runner, { code }, 'first calculate the values') : undefined;
  if (!ran.isOk) return say(`The values cannot be calculated: ${ran.error}`, 'the code failed');
  const values = list(ran.value, 'value').filter((value) => typeof value === 'number');
  const title = `The first ${values.length} ${name.toLowerCase()} numbers`;
  return draw(tool, title, { labels: values.map((_, i) => String(i + 1)), values });
}

/** “energy.csv”: read it, then draw its last column. */
function drawFile(situation: Situation, tool: OfferedTool): Reply | undefined {
  const path = /[\w./-]+\.csv\b/i.exec(asked(situation))?.[0];
  const [read] = resultsOf(situation, 'read_file');
  const reader = offers(situation, 'read_file');
  if (path === undefined) return undefined;
  if (!read) return reader && call(reader, { path }, `first read ${path}`);
  if (!read.isOk) return say(`The file cannot be read: ${read.error}`, 'reading failed');
  const series = seriesIn(read.value);
  if (series.values.length === 0)
    return say(`\`${path}\` has no column of numbers.`, 'there is nothing to draw');
  return draw(tool, `${series.title} (${path})`, series);
}

function seriesIn(file: Json): Series & { readonly title: string } {
  const [head = [], ...rows] = text(file, 'text')
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(',').map((cell) => cell.trim()));
  const column = head.findLastIndex(
    (_, i) => rows.length > 0 && rows.every((row) => row[i] !== '' && Number.isFinite(Number(row[i]))),
  );
  const kept = column === -1 ? [] : rows;
  return {
    title: head[column] ?? text(file, 'path'),
    labels: kept.map((row) => row[0] ?? ''),
    values: kept.map((row) => Number(row[column])),
  };
}
