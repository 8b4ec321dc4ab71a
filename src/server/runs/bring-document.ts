import type { ServerContext } from '../context.ts';
import { typeIn } from './files.ts';
import type { BroughtBy, Upload } from './uploads.ts';
import { withinQuota } from './quotas.ts';

/** Keep a document for a conversation, within what its tenant may have. */
export function bringDocument(
  context: ServerContext,
  of: BroughtBy,
  given: { readonly name: string; readonly type: string; readonly bytes: Buffer },
): Promise<Upload> {
  const { bytes } = given;
  context.quotas.file(bytes.length);
  const { secrets, uploads } = context.home;
  const [name, type] = [secrets.clean(given.name), typeIn(secrets.clean(given.type))];
  return withinQuota(context, { tenant: of.tenant, bytes: bytes.length }, () =>
    uploads.add(of, { name, type, bytes }),
  );
}
