// The declarations of a package's modules, and where names in them come from.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync, Visitor, type Node, type Program } from 'oxc-parser';

/** A name in a module. */
export interface Named {
  readonly file: string;
  readonly name: string;
}

interface Declaration {
  /** As it is written, without what only runs. */
  readonly text: string;
  /** Names of the module that it refers to. */
  readonly refersTo: readonly string[];
}

interface Module {
  readonly declarations: ReadonlyMap<string, readonly Declaration[]>;
  /** What it has from other modules of ours, by the names it has here. */
  readonly imports: ReadonlyMap<string, Named>;
  /** What others can have of it, and where that is declared. */
  readonly exports: ReadonlyMap<string, Named>;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

export class Modules {
  readonly #read = new Map<string, Module>();

  exportsOf(file: string): ReadonlyMap<string, Named> {
    return this.#at(file).exports;
  }

  /** Where a name that a module uses is declared; undefined where it is not one of ours. */
  source({ file, name }: Named): Named | undefined {
    const { declarations, imports, exports } = this.#at(file);
    if (declarations.has(name)) return { file, name };
    const from = imports.get(name) ?? exports.get(name);
    return from && this.source(from);
  }

  /** All that is declared under a name: a schema and its type have one. */
  declared({ file, name }: Named): readonly Declaration[] {
    return this.#at(file).declarations.get(name) ?? [];
  }

  #at(file: string): Module {
    const known = this.#read.get(file) ?? moduleIn(file);
    this.#read.set(file, known);
    return known;
  }
}

function moduleIn(file: string): Module {
  const text = readFileSync(file, 'utf8');
  const { program } = parseSync(file, text);
  const used = identifiersIn(program);
  const declarations = new Map<string, Declaration[]>();
  const imports = new Map<string, Named>();
  const exports = new Map<string, Named>();
  for (const statement of program.body) {
    const isExport = statement.type === 'ExportNamedDeclaration';
    const node: Node = isExport ? (statement.declaration ?? statement) : statement;
    for (const name of namesOf(node)) {
      const declaration = declarationOf(node, text, used);
      declarations.set(name, [...(declarations.get(name) ?? []), declaration]);
      if (isExport) exports.set(name, { file, name });
    }
    if (statement.type === 'ImportDeclaration' && statement.source.value.startsWith('.'))
      for (const one of statement.specifiers)
        if (one.type === 'ImportSpecifier')
          imports.set(one.local.name, named(file, statement.source.value, nameOf(one.imported)));
    if (isExport)
      for (const { local, exported } of statement.specifiers)
        exports.set(nameOf(exported), named(file, statement.source?.value, nameOf(local)));
  }
  return { declarations, imports, exports };
}

function named(file: string, from: string | undefined, name: string): Named {
  return { file: from === undefined ? file : join(dirname(file), from), name };
}

function nameOf(node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return node.name ?? String(node.value);
}

const kinds = ['FunctionDeclaration', 'ClassDeclaration', 'TSInterfaceDeclaration', 'TSTypeAliasDeclaration'];

function namesOf(node: Node): readonly string[] {
  if (node.type === 'VariableDeclaration')
    return node.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  if (!kinds.includes(node.type) || !('id' in node) || !node.id || !('name' in node.id)) return [];
  return [String(node.id.name)];
}

type Used = Range & { readonly name: string };

function identifiersIn(program: Program): readonly Used[] {
  const used: Used[] = [];
  new Visitor({ Identifier: ({ name, start, end }) => void used.push({ name, start, end }) }).visit(program);
  return used;
}

function declarationOf(node: Node, text: string, used: readonly Used[]): Declaration {
  const hidden = hiddenIn(node);
  const isShown = ({ start, end }: Range): boolean =>
    start >= node.start && end <= node.end && !hidden.some((cut) => start >= cut.start && end <= cut.end);
  const refersTo = new Set(used.filter(isShown).map(({ name }) => name));
  return { text: without(text, node, hidden), refersTo: [...refersTo] };
}

/** What of a declaration only runs: bodies, private members, and values of what says its type. */
function hiddenIn(node: Node): readonly Range[] {
  if (node.type === 'FunctionDeclaration') return node.body ? [node.body] : [];
  if (node.type === 'VariableDeclaration')
    return node.declarations.flatMap(({ id, init }) =>
      init && 'typeAnnotation' in id && id.typeAnnotation ? [{ start: id.end, end: init.end }] : [],
    );
  if (node.type !== 'ClassDeclaration') return [];
  return node.body.body.flatMap((member): readonly Range[] => {
    if ('key' in member && member.key.type === 'PrivateIdentifier') return [member];
    return member.type === 'MethodDefinition' && member.value.body ? [member.value.body] : [];
  });
}

function without(text: string, { start, end }: Range, hidden: readonly Range[]): string {
  let from = start;
  const pieces: string[] = [];
  for (const cut of hidden) {
    pieces.push(text.slice(from, cut.start).trimEnd(), ';');
    from = cut.end;
  }
  pieces.push(text.slice(from, end));
  return pieces.join('').replaceAll(/;\s*;/g, ';');
}
