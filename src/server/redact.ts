/** Shorter ones would be found in words that are no secrets. */
const shortest = 8;
const shown = '[redacted]';

/**
 * Secrets are references and never recorded, but a service may say one aloud. On the way out what is known to be secret is
 * taken out of text, as it is and as JSON writes it.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
    .filter((secret) => secret.length >= shortest)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const distinct = [...new Set(forms)].toSorted((one, other) => other.length - one.length);
  if (distinct.length === 0) return (text) => text;
  return (text) => {
    let clean = text;
    for (const form of distinct) if (clean.includes(form)) clean = clean.replaceAll(form, shown);
    return clean;
  };
}
