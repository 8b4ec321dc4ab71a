import { fillSchema, properties } from '../fill-schema.ts';
import { say, type Rule } from '../rule.ts';

/** Who is asked says so. */
export const identity: Rule = {
  name: 'identity',
  reply({ question }) {
    if (
      !/\b(?:who|what) are you\b|\bare you (?:a |an )?(?:real|scripted|model|llm|ai|bot)\b|\bwhich model\b/i.test(
        question,
      )
    )
      return undefined;
    return say(
      'I am the scripted model of the Vitrine demo: rules anyone can read decide what I do, and I answer from what tools really return. Set a base URL and a key to talk to a real model.',
      'somebody asks who this is',
    );
  },
};

/** Whoever is asked how sure they are wants a second look at everything once. */
export const judging: Rule = {
  name: 'judging',
  reply({ schema, question }) {
    if (schema === undefined || !('confidence' in properties(schema))) return undefined;
    const isSure = /\bsecond look\b/i.test(question);
    const value = isSure
      ? { confidence: 0.9, feedback: 'It was looked at twice.' }
      : { confidence: 0.6, feedback: 'Take a second look.' };
    return say(JSON.stringify(value), 'somebody asks how sure I am');
  },
};

/** A form was asked for that no rule knows: the plainest value that fits it. */
export const plainForm: Rule = {
  name: 'plain form',
  reply({ schema, question }) {
    if (schema === undefined) return undefined;
    const value = fillSchema(schema, (name) =>
      /^(?:text|answer|summary|content)$/i.test(name) ? question : undefined,
    );
    return say(JSON.stringify(value), 'no rule knows this form');
  },
};
