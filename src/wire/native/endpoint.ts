import { z } from 'zod';

/** What somebody may do: look, work, decide for others, or operate the server. Each may all that those before it may. */
export const Role = z.enum(['viewer', 'member', 'approver', 'operator']);
export type Role = z.infer<typeof Role>;

/** What an endpoint is about. `anyone` needs no caller; the others are found by their names, and are the caller's. */
export type Address = 'anyone' | 'tenant' | 'run' | 'conversation' | 'approval' | 'file';

/** One possible answer. */
export interface Answer {
  readonly about: string;
  readonly schema?: z.ZodType;
  /** The content type, where it is not JSON. */
  readonly type?: string;
}

/** One place of the server's own API: who may come, what they send, what they get. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'WS';
  /** As `/api/runs/:run`. */
  readonly path: string;
  readonly about: string;
  /** The group it is listed under. */
  readonly tag: string;
  /** The least somebody must be allowed. */
  readonly role: Role;
  readonly addresses: Address;
  readonly query?: z.ZodType;
  /** The schema of a JSON body, or `bytes` for one that is kept as it comes. */
  readonly body?: z.ZodType | 'bytes';
  /** Headers that mean something here, with what they mean. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The most bytes a body may have. */
  readonly bodyLimit?: number;
  readonly answers: Readonly<Record<number, Answer>>;
}

/** Says what is at one place, and keeps what exactly was said for those who ask and those who answer. */
export function endpoint<const E extends Endpoint>(described: E): E {
  return described;
}

type ParameterIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterIn<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** The names that stand in its address. */
export type ParametersOf<E extends Endpoint> = Readonly<Record<ParameterIn<E['path']>, string>>;

/** What may stand behind its address, as a program says it: numbers and flags, not their texts. */
export type QueryOf<E extends Endpoint> = E extends { readonly query: z.ZodType<infer Query> }
  ? Query
  : Readonly<Record<string, never>>;

/** What is sent to it. */
export type BodyOf<E extends Endpoint> = E extends { readonly body: infer Body extends z.ZodType }
  ? z.input<Body>
  : undefined;

/** What it answers when it does what was asked. */
export type AnswerOf<E extends Endpoint> = {
  [Status in keyof E['answers'] & (200 | 201 | 202)]: E['answers'][Status] extends {
    readonly schema: z.ZodType<infer Answered>;
  }
    ? Answered
    : never;
}[keyof E['answers'] & (200 | 201 | 202)];

/** The address of a place, with the names that belong in it. */
export function pathTo<E extends Endpoint>({ path }: E, names: ParametersOf<E>): string {
  const given: Readonly<Record<string, string>> = names;
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(given[name] ?? ''));
}
