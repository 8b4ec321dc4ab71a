import { fillSchema, properties } from '../fill-schema.ts';
import { field, isObject, type Json } from '../json.ts';
import { asked, call, resultsOf, say, type Rule } from '../rule.ts';
import type { OfferedTool, Situation } from '../situation.ts';
import { overlap, stems } from '../words.ts';

/** Tools that are asked for by name, such as “use get-sum with a=3 and b=4”, and tools the request insists on. */
export const namedTools: Rule = {
  name: 'named tools',
  example: ({ tools }) => {
    const [first] = tools.values();
    return first && `use ${first.fullName} with name=value`;
  },
  reply(situation) {
    const question = asked(situation);
    const name = nameIn(question, situation);
    if (name === undefined) return undefined;
    const [result] = resultsOf(situation, name);
    const tool = situation.tools.get(name);
    if (!result) return tool && call(tool, argumentsIn(question, tool), `the message asks for ${name}`);
    if (!result.isOk) return say(`${name} failed: ${result.error}`, `${name} failed`);
    return say(
      `${name} gave:\n\n\`\`\`json\n${JSON.stringify(result.value, null, 2).slice(0, 2000)}\n\`\`\``,
      `${name} has answered`,
    );
  },
};

/** A tool must be called and no other rule has one: the one whose description fits best. */
export const forcedTools: Rule = {
  name: 'forced tools',
  reply(situation) {
    const { mustCall, tools, question } = situation;
    if (mustCall === undefined) return undefined;
    const wanted = stems(question);
    const best = [...tools.values()].toSorted(
      (one, other) =>
        overlap(wanted, `${other.fullName} ${other.description}`) -
        overlap(wanted, `${one.fullName} ${one.description}`),
    )[0];
    const tool = tools.get(mustCall) ?? best;
    return tool && call(tool, argumentsIn(question, tool), 'the request insists on a call');
  },
};

function nameIn(question: string, { tools, results }: Situation): string | undefined {
  if (!/\b(?:use|call|run|invoke|try)\b/i.test(question)) return undefined;
  const names = [...new Set([...tools.keys(), ...results.map(({ tool }) => tool)])];
  return names.find((name) => name !== '' && question.toLowerCase().includes(name.toLowerCase()));
}

/** Values written as JSON or as name=value; what is required and not said is taken from the message. */
function argumentsIn(question: string, { schema }: OfferedTool): Json {
  const json = /\{[\s\S]*\}/.exec(question)?.[0];
  const whole = json === undefined ? undefined : parsed(json);
  if (isObject(whole)) return whole;
  const said = new Map(
    [...question.matchAll(/\b([\w-]+)\s*[=:]\s*(?:"([^"]*)"|“([^”]*)”|([^\s,]+))/g)].map(
      ([, name = '', ...values]) => [name, values.find((value) => value !== undefined) ?? ''],
    ),
  );
  return fillSchema(schema, (name, part) => {
    const value = said.get(name);
    if (value !== undefined) return typed(value, part);
    const isRequired = field(part, 'type') === 'string' && field(part, 'enum') === undefined;
    return isRequired && name in properties(schema) ? question : undefined;
  });
}

function typed(value: string, schema: Json): Json {
  return field(schema, 'type') === 'string' ? value : (parsed(value) ?? value);
}

function parsed(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
