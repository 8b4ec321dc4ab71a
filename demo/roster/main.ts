import { portFrom, runAsProcess } from '../own-process.ts';
import { startRoster } from './server.ts';

runAsProcess('The on-call roster', await startRoster({ port: portFrom(process.env, 8064) }));
