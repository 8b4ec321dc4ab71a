// Whoever waits for a state has as long as a busy machine takes; Vitest gives it a second. Only what never comes takes all of it.
import { vi } from 'vitest';

const timeout = Number(process.env['PATIENCE']);
const { waitFor, waitUntil } = vi;

vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));

function patient<T extends object>(
  options: T | number | undefined,
): T | number | { readonly timeout: number } {
  return typeof options === 'number' ? options : { timeout, ...options };
}
