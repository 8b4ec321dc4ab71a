import type { ServerContext } from '../context.ts';

/** Keep something for a tenant, if its share has room for it. */
export async function withinQuota<T>(
  { home, quotas }: ServerContext,
  { tenant, bytes }: { readonly tenant: string; readonly bytes: number },
  keep: () => Promise<T>,
): Promise<T> {
  const held = await home.store.blobs.held(tenant);
  const done = quotas.upload(tenant, { held, more: bytes });
  return keep().finally(done);
}
