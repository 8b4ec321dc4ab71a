import { RunError } from '../../run/failure.ts';

// These belong to the connection: set by hand they could split a request in two or name another host than the address.
const reserved =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|content-length|upgrade|expect|http2-settings)$/i;

/** The headers of a request, as given by the model. */
export function checkHeaders(given: Readonly<Record<string, string>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    const shown = JSON.stringify(name.slice(0, 100).toWellFormed());
    if (!/^[\w!#$%&'*+.^`|~-]{1,200}$/.test(name)) {
      throw new RunError('malformed', `\`headers\` must not contain ${shown}: it is not a header's name.`);
    }
    if (reserved.test(name)) throw new RunError('refused', `\`headers\` must not contain ${shown}.`);
    if (!/^[\t\x20-\x7e\x80-\xff]{0,8192}$/.test(value)) {
      throw new RunError(
        'malformed',
        `\`headers\` has a line break or another forbidden character in ${shown}.`,
      );
    }
    headers.append(name, value);
  }
  return headers;
}

/** What is left of them for another host than they were meant for: nothing that could be a secret. */
export function headersForOthers(headers: Headers): Headers {
  return new Headers([...headers].filter(([name]) => name === 'accept' || name === 'accept-language'));
}
