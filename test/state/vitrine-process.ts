// The Vitrine that is killed: it begins one run, and works on it until then.
import { openVitrine, type Places } from './vitrine.ts';

export interface Beginning {
  readonly folder: string;
  readonly places: Places;
  readonly conversation: string;
  readonly text: string;
}

const { folder, places, conversation, text } = JSON.parse(process.argv[2] ?? '') as Beginning;
const vitrine = await openVitrine(folder, places);
process.stdout.write(`${await vitrine.start(conversation, text)}\n`);
