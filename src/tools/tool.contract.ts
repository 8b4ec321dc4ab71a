import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { RunError } from '../run/failure.ts';
import { Item, Json } from '../run/values.ts';
import type { Tool, ToolContext } from './tool.ts';

/** What an adapter's test brings: the tool, and arguments that show each side of it. */
export interface ToolCase {
  readonly tool: Tool;
  /** Arguments that work. */
  readonly good: Json;
  /** Well-formed arguments that fail, with a word the failure's sentence must contain. */
  readonly failing?: readonly { readonly input: Json; readonly names: string }[];
  /** Arguments that keep the tool busy for as long as nobody stops it. */
  readonly slow?: Json;
  /** Texts that must never reach the model or a person, such as where the root lies on the disk. */
  readonly secrets?: readonly string[];
  close?(): Promise<void>;
}

/** The rules of docs/spec/tools.md that every tool obeys. */
export function toolContract(name: string, open: () => Promise<ToolCase>): void {
  describe(`${name} obeys the tool contract`, () => {
    let given: ToolCase;
    beforeAll(async () => void (given = await open()));
    afterAll(() => given.close?.());
    described(() => given);
    checked(() => given);
    stoppable(() => given);
    separate(() => given);
  });
}

/** A context that keeps what a tool said and attached. */
export function recordingContext(signal = new AbortController().signal): ToolContext & {
  readonly said: string[];
  readonly items: Item[];
} {
  const said: string[] = [];
  const items: Item[] = [];
  return {
    idempotencyKey: 'key-1',
    tenant: 'tenant-1',
    run: 'run-1',
    signal,
    said,
    items,
    say: (text) => void said.push(text),
    attach: (item) => void items.push(item),
  };
}

/** What a call fails with, which must be a failure people can read. */
export async function failureFrom(call: Promise<Json>): Promise<RunError['failure']> {
  const thrown: unknown = await call.then(
    (result) => new Error(`expected a failure, got ${JSON.stringify(result).slice(0, 200)}`),
    (error: unknown) => error,
  );
  if (!(thrown instanceof RunError)) throw thrown;
  return thrown.failure;
}

function described(given: () => ToolCase): void {
  test('[T1] name and description are fit for a model', () => {
    const { tool } = given();
    expect(tool.name).toMatch(/^[\w-]{1,64}$/);
    expect(tool.description).toMatch(/^[A-Z][^]{20,1000}\.$/);
    expect(['pure', 'idempotent', 'once']).toContain(tool.effect);
    expect(tool.timeout ?? 1).toBeGreaterThan(0);
  });

  test('[T2] the schema is strict JSON Schema of an object, every argument described', () => {
    const { tool, good } = given();
    const validate = new Ajv({ strict: true }).compile(schemaOf(tool));
    expect(validate(good)).toBe(true);
    expect(tool.schema).toMatchObject({ type: 'object', additionalProperties: false });
    for (const property of Object.values(propertiesOf(tool))) {
      expect(property).toMatchObject({ description: expect.stringMatching(/.{5,}/) });
    }
  });
}

function checked(given: () => ToolCase): void {
  test('[T3] what the schema refuses the tool refuses by itself, naming the argument', async () => {
    const { tool, good } = given();
    const validate = new Ajv({ strict: true }).compile(schemaOf(tool));
    for (const { input, names } of mutations(tool, good)) {
      if (validate(input)) continue;
      const failure = await failureFrom(tool.run(input, recordingContext()));
      expect(failure.code).toBe('malformed');
      expect(failure.message).toContain(names);
    }
  });

  test('[T4] hostile values end in a result or in one readable sentence', async () => {
    const { tool, good, secrets = [] } = given();
    for (const { input } of mutations(tool, good)) {
      const said = await tool.run(input, recordingContext()).catch((error: unknown) => readable(error));
      for (const secret of secrets) expect(JSON.stringify(said)).not.toContain(secret);
    }
  });

  test('[T5] a failure is one sentence that names what was wrong', async () => {
    const { tool, failing = [], secrets = [] } = given();
    for (const { input, names } of failing) {
      const failure = await failureFrom(tool.run(input, recordingContext()));
      expect(readable(new RunError(failure.code, failure.message))).toContain(names);
      for (const secret of secrets) expect(failure.message).not.toContain(secret);
    }
  });

  test('[T6] the result is JSON, attached items are items, and the arguments stay as they were', async () => {
    const { tool, good } = given();
    const context = recordingContext();
    const input = deepFreeze(structuredClone(good));
    const result = await tool.run(input, context);
    expect(JSON.parse(JSON.stringify(result))).toStrictEqual(result);
    for (const item of context.items) expect(Item.parse(item)).toStrictEqual(item);
    expect(input).toStrictEqual(good);
  });
}

function stoppable(given: () => ToolCase): void {
  test('[T7] a call whose signal has already said stop does nothing', async () => {
    const { tool, good } = given();
    const context = recordingContext(AbortSignal.abort());
    await failureFrom(tool.run(good, context));
    expect([...context.said, ...context.items]).toStrictEqual([]);
  });

  test('[T8] a stop is obeyed at once, with the reason it was given', async () => {
    const { tool, good, slow = good } = given();
    const controller = new AbortController();
    const call = tool.run(slow, recordingContext(controller.signal));
    const failure = failureFrom(call);
    if (slow !== good) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new RunError('rejected', 'A person stopped it.'));
    expect(await failure).toMatchObject({ code: 'rejected', message: 'A person stopped it.' });
  });
}

function separate(given: () => ToolCase): void {
  test('[T9] calls of different runs at the same time know nothing of each other', async () => {
    const { tool, good } = given();
    const alone = recordingContext();
    const expected = await tool.run(good, alone);
    const contexts = Array.from({ length: 4 }, () => recordingContext());
    const stop = new AbortController();
    const stoppedCall = failureFrom(tool.run(good, recordingContext(stop.signal)));
    const results = Promise.all(contexts.map((context) => tool.run(good, context)));
    stop.abort();
    await stoppedCall;
    for (const [i, result] of (await results).entries()) {
      if (tool.effect === 'pure') expect(result).toStrictEqual(expected);
      expect(contexts[i]?.said).toStrictEqual(alone.said);
      expect(contexts[i]?.items).toStrictEqual(alone.items);
    }
  });
}

interface Mutation {
  readonly input: Json;
  readonly names: string;
}

function mutations(tool: Tool, good: Json): Mutation[] {
  const whole = [null, 7, 'text', [], {}].map((input) => ({ input, names: tool.name }));
  const fields = Object.keys(propertiesOf(tool)).flatMap((field) =>
    hostile.map((value) => ({ input: { ...objectOf(good), [field]: value }, names: field })),
  );
  return [...whole, ...fields, { input: { ...objectOf(good), surprise: 1 }, names: 'surprise' }];
}

const hostile: readonly Json[] = [
  null,
  true,
  -1,
  1e308,
  '',
  'a\u0000b',
  '\ud800',
  '../'.repeat(40),
  'x'.repeat(300_000),
  [],
  {},
  JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
  JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`),
];

function readable(error: unknown): string {
  if (!(error instanceof RunError)) throw error;
  expect(error.failure.message).toMatch(/^[^\n\r]{10,1500}\.$/);
  return error.failure.message;
}

function schemaOf(tool: Tool): Record<string, Json> {
  return objectOf(tool.schema);
}

function propertiesOf(tool: Tool): Record<string, Json> {
  return objectOf(schemaOf(tool)['properties'] ?? {});
}

function objectOf(value: Json): Record<string, Json> {
  return z.record(z.string(), Json).parse(value);
}

function deepFreeze(value: Json): Json {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
