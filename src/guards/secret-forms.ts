/**
 * The forms in which a secret may turn up: as it is, as JSON writes it (also inside of JSON inside of JSON), as addresses
 * and forms write it, and in Base64, where what stands before it decides which of three texts it becomes.
 */
export function formsOf(secret: string): readonly string[] {
  const plain = secret.toWellFormed();
  const json = inJson(plain);
  const url = encodeURIComponent(plain);
  const form = new URLSearchParams([['', plain]]).toString().slice(1);
  const forms = [secret, json, inJson(json), json.replaceAll('/', '\\/'), url, lowerCase(url), form];
  return [...new Set([...forms, lowerCase(form), ...inBase64(new TextEncoder().encode(plain))])];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Most write `%2F`, some `%2f`. */
function lowerCase(url: string): string {
  return url.replaceAll(/%[0-9A-F]{2}/g, (sign) => sign.toLowerCase());
}

/** What is the same whatever stands before and after: a sign of Base64 has six bits, some of them of the neighbours. */
function inBase64(bytes: Uint8Array): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = new Uint8Array(before + bytes.length);
    padded.set(bytes, before);
    const binary = Array.from(padded, (byte) => String.fromCharCode(byte)).join('');
    const own = btoa(binary).slice(Math.ceil((before * 4) / 3), Math.floor((padded.length * 4) / 3));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
