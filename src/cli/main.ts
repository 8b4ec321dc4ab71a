import { cli } from './cli.ts';
import { stderrLog } from '../server/log.ts';
import { containStrays } from '../server/strays.ts';
import { processTerminal } from './terminal.ts';

containStrays(stderrLog);
const terminal = processTerminal();
const code = await cli(process.argv.slice(2), terminal);
// Connections that are kept for the next request must not keep a finished command alive.
terminal.out.write('', () => process.exit(code));
