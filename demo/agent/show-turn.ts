import type { ToolContext } from '../../src/index.ts';
import type { AskedCall, Audience, CallAudience, CallOutcome } from './agent-turn.ts';
import type { DialAnswer } from '../dial/dial-answer.ts';
import type { AttachmentOut, DialStage } from '../dial/dial-stage.ts';

type Item = Parameters<ToolContext['attach']>[0];

/** What happens inside of each tool, as its innermost stage is called. */
const insides: Readonly<Record<string, string>> = {
  run_javascript: 'QuickJS sandbox',
  search_documents: 'Search the library',
  list_files: 'Look into the workspace',
  read_file: 'Read from the workspace',
  search_files: 'Search the workspace',
  draw_chart: 'Draw the picture',
  http_get: 'Fetch over HTTP',
  http_send: 'Send over HTTP',
  roster__who_is_on_call: 'Ask the roster (MCP over HTTP)',
  spares__find_spares: 'Ask the stores (MCP over stdio)',
};

/** Shows a turn as stages: the work, in it every call, and in each call what its tool does. */
export function showTurn(answer: DialAnswer, model: string): Audience & { finish(): void } {
  let work: DialStage | undefined;
  let thoughts = '';
  return {
    say: (text) => answer.say(text),
    think(text) {
      if (work) work.say(text);
      else thoughts += text;
    },
    begin(call) {
      work ??= openWork(answer, thoughts);
      return showCall(answer, work, call);
    },
    use({ input, output }) {
      answer.use({ model, input, output });
      // Each turn of the model ends with its usage; its thoughts are a line of their own.
      if (work) work.say('\n');
      else if (thoughts !== '') thoughts += '\n';
    },
    finish: () => work?.close('completed'),
  };
}

function openWork(answer: DialAnswer, thoughts: string): DialStage {
  const stage = answer.stage('Working with tools');
  stage.say(thoughts);
  return stage;
}

function showCall(answer: DialAnswer, work: DialStage, { tool, arguments: given }: AskedCall): CallAudience {
  const stage = work.stage(tool);
  stage.say(`## Request arguments: \n\`\`\`json\n${given}\n\`\`\`\n`);
  if (tool === 'run_javascript') attachCode(stage, given);
  const inside = stage.stage(insides[tool] ?? 'Work');
  return {
    say: (text) => inside.say(text),
    attach(item) {
      const attachment = attachmentOf(item);
      inside.attach(attachment);
      if (attachment.type.startsWith('image/')) answer.attach(attachment);
    },
    end(outcome) {
      const status = outcome.ok ? 'completed' : 'failed';
      inside.close(status);
      stage.say(`## Response: \n${shown(outcome)}\n`);
      stage.close(status);
    },
  };
}

function attachCode(stage: DialStage, given: string): void {
  const code = /"code"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(given)?.[1];
  if (code !== undefined)
    stage.attach({ type: 'text/javascript', title: 'code.js', data: String(JSON.parse(code)) });
}

function shown(outcome: CallOutcome): string {
  const whole = outcome.ok ? JSON.stringify(outcome.result) : outcome.error;
  const text = outcome.ok && whole.length > 160 ? JSON.stringify(outcome.result, null, 2) : whole;
  const short = text.length > 4000 ? `${text.slice(0, 4000).toWellFormed()}…` : text;
  return `\`\`\`json\n${short}\n\`\`\``;
}

function attachmentOf(item: Item): AttachmentOut {
  switch (item.kind) {
    case 'attachment': {
      const { type, title = 'attachment', data, url, referenceUrl } = item.attachment;
      return {
        type,
        title,
        ...(data !== undefined && { data }),
        ...(url !== undefined && { url }),
        ...(referenceUrl !== undefined && { reference_url: referenceUrl }),
      };
    }
    case 'citation': {
      const { title, url, quote } = item;
      const reference = url === undefined ? {} : { reference_url: url, reference_type: 'text/markdown' };
      return { type: 'text/markdown', title, data: quote ?? title, ...reference };
    }
    case 'visualization':
      return { type: 'application/json', title: item.shape, data: JSON.stringify(item.data) };
    case 'action':
      return { type: 'application/json', title: item.name, data: JSON.stringify(item.data) };
  }
}
