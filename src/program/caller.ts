import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { RunError } from '../run/failure.ts';
import { readAs } from '../run/values.ts';
import type { WayIn } from '../server/access/way-in.ts';
import { Role } from '../wire/native/endpoint.ts';

/** Names stand in lists, in logs and in journals. */
const Name = z.string().min(1).max(200);

const Caller = z.strictObject({
  /** Whose data it is: nothing crosses from one tenant to another. */
  tenant: Name,
  /** Who of them: recorded with what they decide. */
  who: Name,
  role: Role,
  /** From then on they may not look any more: what they have open is closed. Milliseconds since 1970. */
  expiresAt: z.number().optional(),
});

/** One of a program's own users, as the program knows them. */
export type ProgramCaller = Readonly<z.infer<typeof Caller>>;

/**
 * Says who asks: of a request to `handler` as Node has it, with whatever middleware has put on it, of one to `fetch` as it
 * is. Nobody, and they are told to say who they are.
 */
export type CallerOf = (
  request: IncomingMessage | Request,
) => ProgramCaller | undefined | Promise<ProgramCaller | undefined>;

/** What a program says of a user, or a failure that names the field. */
export function callerOf(given: ProgramCaller): ProgramCaller {
  const read = readAs(Caller, given);
  if (read.fits) return read.value;
  const [{ path, message }] = read.wrong;
  const where = path.join('.') || 'the whole';
  throw new TypeError(`The program says who asks, and it cannot be used: ${where}: ${message}`);
}

/** The way in for a request of a program's own server. */
export function wayFor(
  request: IncomingMessage | Request,
  { caller, prefix }: { readonly caller: CallerOf | undefined; readonly prefix: string },
): WayIn {
  return {
    isDirect: false,
    prefix,
    async callerOf() {
      if (!caller)
        throw new RunError(
          'unauthenticated',
          'This program does not say who asks: give «caller» to openVitrine.',
        );
      const known = await caller(request);
      return known && callerOf(known);
    },
  };
}
