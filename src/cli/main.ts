// Nothing is imported before the first line is written: what follows takes a moment to load.
const [command = ''] = process.argv.slice(2);
const isSlow = ['run', 'demo', 'serve', 'resume', 'follow'].includes(command);
if (isSlow && process.stderr.isTTY) process.stderr.write('Vitrine is starting …\n');

const [{ cli }, { stderrLog }, { containStrays }, { processTerminal }] = await Promise.all([
  import('./cli.ts'),
  import('../server/observe/log.ts'),
  import('../server/observe/strays.ts'),
  import('./terminal/terminal.ts'),
]);
containStrays(stderrLog);
const terminal = processTerminal();
const code = await cli(process.argv.slice(2), terminal);
// Connections that are kept for the next request must not keep a finished command alive.
terminal.out.write('', () => process.exit(code));
export {};
