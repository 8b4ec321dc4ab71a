// A DIAL application in a process of its own, as strict as the SDK. It keeps nothing but the log of what it was sent.
import { startDialServer } from '../../demo/dial/dial-server.ts';
import { portFrom, runAsProcess } from '../../demo/own-process.ts';
import { questionIn, stateFor } from './told-state.ts';
import { witness } from './witness.ts';

const { NAME: name = '', REQUEST_LOG: file = '' } = process.env;
const seen = witness(file);
const server = await startDialServer({
  port: portFrom(process.env, 0),
  applications: new Map([
    [
      name,
      ({ conversation, messages }, answer) =>
        seen.turn(async (gate) => {
          seen.note({ conversation, messages });
          const { content } = messages.at(-1) ?? {};
          const question = questionIn(typeof content === 'string' ? content : '');
          if (question.endsWith('breaks')) throw new Error('as it was asked to');
          await gate;
          answer.open();
          answer.say('heard ');
          answer.say(question);
          answer.remember(stateFor(name, question));
        }),
    ],
  ]),
  routes: (visit) => seen.route(visit),
});
runAsProcess(name, server);
