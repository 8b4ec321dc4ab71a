/** On every answer: nothing of ours is run, framed, sniffed, kept or referred to by anything that is not ours. */
export const safeHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'cache-control': 'no-store',
};

/** On every answer that goes out over TLS: a browser that was here once comes back by TLS alone. */
export const tlsHeaders: Readonly<Record<string, string>> = {
  'strict-transport-security': 'max-age=31536000',
};

/** The page may run and show what this server itself sends, and talk to nobody else. */
export const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'self'";
