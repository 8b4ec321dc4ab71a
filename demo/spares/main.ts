// A program that is spoken to over its standard input and output: nothing else may be written there.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { sparesServer } from './spares.ts';

serveStdio(() => sparesServer(Number(process.env['SEED'] ?? 2026)));
