import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { parseDocument } from 'yaml';
import { RunError } from '../../run/failure.ts';
import { Json } from '../../run/values.ts';
import { isDeeper } from '../../wire/sse.ts';

type Graph = Readonly<Record<string, Json>>;

/** Files that hold a graph each, by their endings. */
const endings = ['.yaml', '.yml', '.json'];
const longest = 1_000_000;
const deepest = 64;

/** Whether what was typed is a file of a graph, not the name of a workflow. */
export function isGraphFile(name: string): boolean {
  return endings.includes(extname(name));
}

/** The graphs in the folder `workflows` beside a configuration, by their names. */
export function workflowsBeside(folder: string): Readonly<Record<string, Graph>> {
  const place = join(folder, 'workflows');
  if (!existsSync(place)) return {};
  const graphs: Record<string, Graph> = {};
  for (const file of readdirSync(place).filter(isGraphFile).toSorted()) {
    const graph = readGraphFile(join(place, file));
    const name = nameIn(graph, file);
    if (Object.hasOwn(graphs, name))
      throw new RunError('malformed', `${join(place, file)}: another file has a workflow «${name}», too.`);
    graphs[name] = { ...graph, name };
  }
  return graphs;
}

/** A graph that says no name is called like its file. */
export function nameIn(graph: Graph, file: string): string {
  const { name } = graph;
  return typeof name === 'string' ? name : basename(file, extname(file));
}

/** What a file says, as JSON. YAML is read as data: no types of its own, no aliases that grow. */
export function readGraphFile(file: string): Graph {
  return graphIn(readText(file), file);
}

export function graphIn(text: string, where: string): Graph {
  if (text.length > longest)
    throw new RunError('too-large', `${where} has ${text.length} characters; ${longest} are allowed.`);
  const document = parseDocument(text, { schema: 'core', prettyErrors: true, merge: false });
  const [wrong] = document.errors;
  if (wrong) throw new RunError('malformed', `${where} cannot be read: ${firstLine(wrong.message)}`);
  const value = Json.safeParse(plain(document, where));
  if (value.success && typeof value.data === 'object' && value.data !== null && !Array.isArray(value.data))
    return value.data as Graph;
  throw new RunError('malformed', `${where} is no graph: write «name», «nodes» and «edges».`);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'it is not there, give the path of a graph in YAML or JSON' : message;
    throw new RunError('malformed', `${file} cannot be read: ${why}.`, { cause });
  }
}

function plain(document: ReturnType<typeof parseDocument>, where: string): unknown {
  const value = withoutAliases(document, where);
  if (!isDeeper(written(value, where), deepest)) return value;
  throw new RunError('too-large', `${where} is nested deeper than ${deepest} levels.`);
}

function withoutAliases(document: ReturnType<typeof parseDocument>, where: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw new RunError('malformed', `${where} cannot be read: ${(cause as Error).message}.`, { cause });
  }
}

/** Of what YAML can say, only a circle cannot be written down. */
function written(value: unknown, where: string): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch (cause) {
    const message = `${where} cannot be read: an alias in it leads to itself; write out what it stands for.`;
    throw new RunError('malformed', message, { cause });
  }
}

function firstLine(message: string): string {
  return `${message.split('\n', 1)[0]?.replace(/:$/, '') ?? ''}.`;
}
