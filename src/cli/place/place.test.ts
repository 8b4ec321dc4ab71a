import { expect, test, vi } from 'vitest';
import { serving } from '../../../test/serving.ts';
import { vitrineClient } from '../../client/client.ts';
import type { Given } from '../command.ts';
import { enter, ownFolder } from './place.ts';

const given = (options: Readonly<Record<string, string>>): Given => ({
  words: [],
  text: (option) => options[option],
  texts: () => [],
  flag: () => false,
});

test('[V135] what is done to a folder is done to the one that was named, where a server is meant', () => {
  vi.stubEnv('VITRINE_SERVER', 'http://127.0.0.9:1');
  expect(() => ownFolder(given({}))).toThrow('say which folder with --data');
  expect(ownFolder(given({ data: '/named' }))).toBe('/named');
  vi.stubEnv('VITRINE_SERVER', '');
  expect(ownFolder(given({ data: '/named' }))).toBe('/named');
});

test('[V152] whoever is turned away by a server is told of VITRINE_KEY', async () => {
  const { url } = await serving({ config: { auth: { required: true } } });
  const entering = async (key: object): Promise<unknown> => {
    const { server } = await enter({ url, ...key }, { warn: () => {} });
    return vitrineClient(server).runs();
  };
  await expect(entering({})).rejects.toThrow(/asks for a key\. Set VITRINE_KEY to a key of that server/);
  await expect(entering({ key: 'vit_other' })).rejects.toThrow(/does not take the key: .* Set VITRINE_KEY/);
});
