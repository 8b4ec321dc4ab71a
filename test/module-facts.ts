import { parseSync, Visitor, type Expression, type ImportDeclaration, type Node } from 'oxc-parser';

export interface Source {
  readonly path: string;
  readonly text: string;
}

/** One way a module reaches another. `name` is absent where it is computed while running. */
export interface Import {
  readonly name?: string;
  readonly isType: boolean;
}

export interface ModuleFacts {
  readonly imports: readonly Import[];
  /** What it takes from the machine's clock, timers or randomness, as written. */
  readonly clocks: readonly string[];
}

const globals = ['setTimeout', 'setInterval', 'setImmediate', 'randomUUID', 'randomBytes', 'randomInt'];
const members = [
  'Date.now',
  'Math.random',
  'performance.now',
  'crypto.randomUUID',
  'crypto.getRandomValues',
  'AbortSignal.timeout',
  ...globals.map((name) => `globalThis.${name}`),
];

/** What the architecture needs to know of a module, read from its syntax. */
export function moduleFacts({ path, text }: Source): ModuleFacts {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new SyntaxError(`${path}: ${errors[0]?.message}`);
  const imports: Import[] = [];
  const clocks = new Set<string>();
  const notValues = new Set<number>();
  const note = (source: Expression | null, isType: boolean) => {
    imports.push(source?.type === 'Literal' ? { name: String(source.value), isType } : { isType });
  };
  const asName = ({ key, computed }: { key: Node; computed: boolean }) => {
    if (!computed) notValues.add(key.start);
  };
  new Visitor({
    ImportDeclaration: (node) => note(node.source, isTypeImport(node)),
    ExportAllDeclaration: (node) => note(node.source, node.exportKind === 'type'),
    ExportNamedDeclaration: (node) => {
      if (node.source) note(node.source, node.exportKind === 'type');
    },
    ImportExpression: (node) => note(node.source, false),
    TSImportType: (node) => note(node.source, true),
    TSExternalModuleReference: (node) => note(node.expression, false),
    CallExpression: (node) => {
      if (node.callee.type !== 'Identifier') return;
      if (node.callee.name === 'require') note(null, false);
      if (node.callee.name === 'Date') clocks.add('Date()');
    },
    NewExpression: (node) => {
      const isDate = node.callee.type === 'Identifier' && node.callee.name === 'Date';
      if (isDate && node.arguments.length === 0) clocks.add('new Date()');
    },
    MemberExpression: (node) => {
      if (!node.computed) notValues.add(node.property.start);
      const name = members.find((member) => member === dotted(node));
      if (name) clocks.add(name);
    },
    Property: (node) => {
      if (!node.shorthand) asName(node);
    },
    MethodDefinition: asName,
    PropertyDefinition: asName,
    TSPropertySignature: asName,
    TSMethodSignature: asName,
    TSTypeQuery: (node) => void notValues.add(node.exprName.start),
    Identifier: (node) => {
      if (globals.includes(node.name) && !notValues.has(node.start)) clocks.add(node.name);
    },
  }).visit(program);
  return { imports, clocks: [...clocks] };
}

function isTypeImport({ importKind, specifiers }: ImportDeclaration): boolean {
  if (importKind === 'type') return true;
  const named = specifiers.filter((specifier) => specifier.type === 'ImportSpecifier');
  return specifiers.length > 0 && named.length === specifiers.length && named.every(isTypeSpecifier);
}

function isTypeSpecifier(specifier: { importKind?: string | null }): boolean {
  return specifier.importKind === 'type';
}

function dotted(node: Node): string | undefined {
  if (node.type === 'Identifier') return node.name;
  if (node.type !== 'MemberExpression') return undefined;
  const property = node.computed ? literal(node.property) : dotted(node.property);
  return property === undefined ? undefined : `${dotted(node.object)}.${property}`;
}

function literal(node: Node): string | undefined {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}
