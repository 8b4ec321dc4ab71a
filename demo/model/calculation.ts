/** Functions the model can write, as anyone would who wants exact numbers of any size. */
const known: Readonly<Record<string, { readonly arguments: number; readonly source: string }>> = {
  fibonacci: {
    arguments: 1,
    source: `function fibonacci(n) {
  let [a, b] = [0n, 1n];
  for (let i = 0n; i < n; i += 1n) [a, b] = [b, a + b];
  return a;
}`,
  },
  factorial: {
    arguments: 1,
    source: `function factorial(n) {
  let product = 1n;
  for (let i = 2n; i <= n; i += 1n) product *= i;
  return product;
}`,
  },
  gcd: {
    arguments: 2,
    source: `function gcd(a, b) {
  while (b > 0n) [a, b] = [b, a % b];
  return a;
}`,
  },
  power: {
    arguments: 2,
    source: `function power(base, exponent) {
  return base ** exponent;
}`,
  },
  isPrime: {
    arguments: 1,
    source: `function isPrime(n) {
  if (n < 2n) return false;
  for (let i = 2n; i * i <= n; i += 1n) if (n % i === 0n) return false;
  return true;
}`,
  },
};

/** One thing to calculate, and what people call it. */
export interface Task {
  readonly label: string;
  readonly name: string;
  readonly values: readonly string[];
}

const spoken: readonly (readonly [RegExp, string])[] = [
  [/\bfib(?:onacci)?\s*(?:\(\s*|of\s+|number\s+|for\s+)?(\d+)/gi, 'fibonacci'],
  [/\b(\d+)(?:st|nd|rd|th)\s+fibonacci\b/gi, 'fibonacci'],
  [/\bfactorial\s*(?:\(\s*|of\s+)?(\d+)/gi, 'factorial'],
  [/\b(\d+)!(?!=)/g, 'factorial'],
  [/\bis\s+(\d+)\s+(?:a\s+)?prime\b/gi, 'isPrime'],
  [/\bisPrime\(\s*(\d+)/gi, 'isPrime'],
  [/\b(?:gcd|greatest common divisor)\s*(?:\(\s*|of\s+)?(\d+)\s*(?:,|and)\s*(\d+)/gi, 'gcd'],
  [/\b(\d+)\s+to the power (?:of )?(\d+)\b/gi, 'power'],
];

/** What a message asks to calculate, in the order it says it. */
export function tasksIn(message: string): Task[] {
  const found = spoken.flatMap(([pattern, name]) =>
    [...message.matchAll(pattern)].map((match) => ({
      at: match.index,
      name,
      values: match.slice(1).map((value) => String(BigInt(value))),
    })),
  );
  const expression = found.length === 0 ? expressionIn(message) : undefined;
  if (expression !== undefined) return [{ label: expression, name: 'expression', values: [expression] }];
  return found
    .sort((one, other) => one.at - other.at)
    .map(({ name, values }) => ({ label: `${name}(${values.join(', ')})`, name, values }));
}

/** A sum in plain signs, such as 2 * (3 + 4). */
function expressionIn(message: string): string | undefined {
  const found = /(?<![\w.-])[\d(][\d\s().+*/%^-]*[+*/%^-][\d\s().+*/%^-]*[\d)](?![\w-])/
    .exec(message)?.[0]
    .trim();
  if (found === undefined || !/\d\s*[+*/%^-]+\s*\(*-?\d|\)\s*[+*/%^-]/.test(found)) return undefined;
  return /\d-\d+-\d/.test(found) ? undefined : found;
}

/** The same calculations with another number, for “now 20”. */
export function again(name: string, number: string): Task | undefined {
  return known[name]?.arguments === 1 ? { label: `${name}(${number})`, name, values: [number] } : undefined;
}

/** The function that code of ours calculates, so that a follow-up can use it with another number. */
export function nameInCode(code: string): string | undefined {
  return Object.keys(known).find((name) => code.includes(`function ${name}(`));
}

/** JavaScript whose value is an object from each label to its exact result as text. */
export function codeFor(tasks: readonly Task[]): string {
  const sources = [...new Set(tasks.flatMap(({ name }) => known[name]?.source ?? []))];
  const entries = tasks.map(({ label, name, values }) => {
    const value =
      name === 'expression'
        ? `(${(values[0] ?? '').replaceAll('^', '**')})`
        : `${name}(${values.map((number) => `${number}n`).join(', ')})`;
    return `  ${JSON.stringify(label)}: String(${value}),`;
  });
  return [...sources, `({\n${entries.join('\n')}\n})`].join('\n\n');
}

/** The first values of a function, as numbers for a chart. */
export function seriesCode(name: string, count: number): string | undefined {
  const source = known[name]?.source;
  if (source === undefined || known[name]?.arguments !== 1) return undefined;
  return `${source}\n\nArray.from({ length: ${count} }, (_, i) => Number(${name}(BigInt(i + 1))))`;
}
