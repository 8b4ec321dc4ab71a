/** The recorder over stdio: `node recorder-stdio.ts <record file> [mode …]`. */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { recorder } from './recorder.ts';

const [record = '/dev/null', ...modes] = process.argv.slice(2);
const note = (line: string): void => appendFileSync(record, `${line}\n`);

if (modes.includes('stubborn')) {
  // Not for ever, in case the test that is to kill them dies first.
  const code = 'process.on("SIGTERM", () => {}); setTimeout(() => {}, 60_000)';
  const helper = spawn(process.execPath, ['-e', code], { stdio: 'inherit' });
  note(`helper ${helper.pid}`);
  process.on('SIGTERM', () => note('asked to end'));
  setTimeout(() => process.exit(), 60_000);
}

note(`started ${process.pid}`);
if (modes.includes('broken')) {
  process.stderr.write(`cannot work with ${process.env['KEY']}\n`);
  process.exit(2);
} else if (modes.includes('mute')) {
  setTimeout(() => undefined, 60_000);
} else if (modes.includes('old')) {
  // Like servers that know the old handshake only, and exit when anything else comes first.
  process.stdin.once('data', (data) => {
    if (!String(data).includes('"initialize"')) process.exit(1);
  });
  await recorder({ note, modes }).connect(new StdioServerTransport());
} else {
  serveStdio(() => recorder({ note, modes }));
}
