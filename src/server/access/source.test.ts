import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../catalog/config.ts';
import { sourceReader } from './honest.ts';

const chain = (hops: string): { 'x-forwarded-for': string } => ({ 'x-forwarded-for': hops });
const address = fc.oneof(fc.ipV4(), fc.ipV6());

describe('[V31] where a request comes from', () => {
  test('is the other end of the connection, unless that is a proxy of ours', () => {
    fc.assert(
      fc.property(address, fc.array(fc.oneof(address, fc.string())), (peer, hops) => {
        const headers = { ...chain(hops.join(', ')), 'x-forwarded-proto': 'https' };
        expect(sourceReader([])({ headers, peer })).toEqual({ address: peer, isTls: false, prefix: '' });
      }),
    );
  });

  test.for([
    { is: 'what the proxy saw', hops: '203.0.113.9', from: '203.0.113.9' },
    { is: 'not what its client made up', hops: '198.51.100.1, 203.0.113.9', from: '203.0.113.9' },
    { is: 'before all proxies of ours', hops: '203.0.113.9, 10.0.0.7', from: '203.0.113.9' },
    { is: 'the proxy, where that says nothing', hops: '', from: '127.0.0.1' },
    { is: 'the proxy, where that says nonsense', hops: 'evil"\n, unknown', from: '127.0.0.1' },
    { is: 'the last that is known', hops: 'nonsense, 10.0.0.7', from: '10.0.0.7' },
    { is: 'also of the newer family', hops: '2001:db8::1', from: '2001:db8::1' },
  ])('is $is', ({ hops, from }) => {
    const read = sourceReader(['127.0.0.1', '10.0.0.0/8']);
    expect(read({ headers: chain(hops), peer: '127.0.0.1' }).address).toBe(from);
    expect(read({ headers: chain(hops), peer: '::ffff:127.0.0.1' }).address).toBe(from);
    expect(read({ headers: chain(hops), peer: '192.0.2.1' }).address).toBe('192.0.2.1');
  });

  test('and whether it came by TLS is what a proxy of ours says, and nobody else', () => {
    const read = sourceReader(['10.0.0.7', '2001:db8::/32']);
    const headers = { 'x-forwarded-proto': 'https' };
    expect(read({ headers, peer: '10.0.0.7' }).isTls).toBe(true);
    expect(read({ headers, peer: '2001:db8::5' }).isTls).toBe(true);
    expect(read({ headers: { 'x-forwarded-proto': 'http, https' }, peer: '10.0.0.7' }).isTls).toBe(false);
    for (const peer of ['10.0.0.8', '2001:db9::5', undefined])
      expect(read({ headers, peer }).isTls).toBe(false);
  });

  test.for(['proxy.example', '10.0.0.0/33', '0.0.0.0/0', '::/0', ''])(
    'a proxy «%s» is no address, and the configuration says so',
    (proxy) => {
      expect(() => readConfig({ server: { proxies: [proxy] } }, 'x')).toThrow(/server\.proxies\[0\]/);
    },
  );
});
