import type { QuotaSettings } from '../catalog/server-settings.ts';
import { RunError } from '../run/failure.ts';
import { localTenant } from './home.ts';

/** What one tenant uses of the house, and no more than its share. */
export interface Quotas {
  /** One more request; fails with `over-budget`. */
  request(tenant: string, now: number): void;
  /** One more open stream; returns what gives it back. */
  stream(tenant: string): () => void;
  /** Room for some bytes beside those that are held; returns what to call when they are held, too. */
  upload(tenant: string, bytes: { readonly held: number; readonly more: number }): () => void;
  readonly runs: number;
  readonly sessions: number;
}

interface Share {
  tokens: number;
  at: number;
  streams: number;
  /** On their way to be kept. */
  bytes: number;
}

/** Beyond so many tenants the ones that have nothing open are forgotten. */
const remembered = 10_000;

/** `isOpen` when whoever is at this machine needs no key: then nobody counts their requests. */
export function quotasOf(settings: QuotaSettings, isOpen: boolean): Quotas {
  const { requests, burst, streams, bytes } = settings;
  const shares = new Map<string, Share>();
  const shareOf = (tenant: string): Share => {
    const known = shares.get(tenant);
    if (known) return known;
    if (shares.size >= remembered)
      for (const [name, share] of shares) if (share.streams === 0 && share.bytes === 0) shares.delete(name);
    const share = { tokens: burst, at: 0, streams: 0, bytes: 0 };
    shares.set(tenant, share);
    return share;
  };
  const isExempt = (tenant: string): boolean => isOpen && tenant === localTenant;
  return {
    runs: settings.runs,
    sessions: settings.sessions,
    request(tenant, now) {
      if (isExempt(tenant)) return;
      const share = shareOf(tenant);
      share.tokens = Math.min(burst, share.tokens + (Math.max(0, now - share.at) / 1_000) * requests);
      share.at = now;
      if (share.tokens < 1) throw over(`more than ${requests} requests a second; slow down`);
      share.tokens -= 1;
    },
    stream(tenant) {
      const share = shareOf(tenant);
      if (share.streams >= streams) throw over(`${streams} streams are open already; close some`);
      share.streams += 1;
      return () => void (share.streams -= 1);
    },
    upload(tenant, { held, more }) {
      const share = shareOf(tenant);
      if (held + share.bytes + more > bytes)
        throw over(`more than ${bytes} bytes of files and large texts are kept; erase some`);
      share.bytes += more;
      return () => void (share.bytes -= more);
    },
  };
}

function over(what: string): RunError {
  return new RunError('over-budget', `This is more than your share: ${what}.`, { retryable: true });
}
