import { z } from 'zod';
import { lacksIn, PipelineSettings } from '../../flows/pipeline/settings.ts';
import { AppGuards, GuardSettings } from '../../guards/guard-settings.ts';
import type { Problem } from '../../run/failure-schema.ts';
import { RunError } from '../../run/failure.ts';
import { readAs } from '../../run/values.ts';
import type { ApplicationBody } from '../applications/application-form.ts';

const Given = z.object({ description: z.string(), settings: PipelineSettings, guards: AppGuards });

/** What somebody wants an application to say, or a failure that names each field that does not fit. */
export function readApp(given: unknown, name: string): Omit<ApplicationBody, 'others'> {
  return fitting(Given, given, `The app «${name}»`);
}

/** Guards as somebody gives them, or a failure that names each field, and of a rule its line. */
export function readGuards(given: unknown): readonly GuardSettings[] {
  return fitting(z.object({ guards: z.array(GuardSettings) }), { guards: given }, 'The list of guards')
    .guards;
}

/** What an application cannot be published without, each by its field. */
export function lacksOf({ settings }: Pick<ApplicationBody, 'settings'>): Problem[] {
  return lacksIn(settings).map(({ field, lacks }) => ({
    node: '',
    field: `settings.${field}`,
    problem: `It lacks ${lacks}.`,
    fix: 'Give it before you publish.',
  }));
}

/** Fails where an application lacks something, and names each thing. */
export function expectWhole(body: ApplicationBody, name: string): void {
  const problems = lacksOf(body);
  if (problems.length === 0) return;
  const lacks = lacksIn(body.settings).map((lack) => lack.lacks);
  throw new RunError('malformed', `The app «${name}» cannot be published: it lacks ${lacks.join('; ')}.`, {
    problems,
  });
}

function fitting<T>(schema: z.ZodType<T>, given: unknown, what: string): T {
  const read = readAs(schema, given);
  if (read.fits) return read.value;
  const problems = read.wrong.map(({ path, message }) => ({
    node: '',
    field: path.join('.'),
    problem: message,
    fix: 'Correct it, or take it out.',
  }));
  const [first] = problems;
  const more = problems.length === 1 ? '' : ` And ${problems.length - 1} more.`;
  throw new RunError('malformed', `${what} does not fit: ${first?.field}: ${first?.problem}.${more}`, {
    problems,
  });
}
