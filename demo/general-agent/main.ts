import { modelFrom } from '../agent/model-settings.ts';
import { portFrom, runAsProcess } from '../own-process.ts';
import { startGeneralAgent } from './server.ts';

const log = process.env['REQUEST_LOG'];
const server = await startGeneralAgent({
  port: portFrom(process.env, 8052),
  model: modelFrom(process.env),
  ...(log ? { log } : {}),
});
runAsProcess('The general-purpose agent', server);
