import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../../run/values.ts';
import { exact } from '../../run/visible.ts';

export type Written = { readonly value: Json } | { readonly problem: string };

/** The editor a person has chosen. */
export function chosenEditor(): string | undefined {
  return process.env['VISUAL'] || process.env['EDITOR'] || undefined;
}

/** Have a value edited in the person's own editor. The terminal is the editor's until it ends. */
export function editOutside(editor: string, value: Json): Written {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-edit-'));
  const file = join(folder, 'arguments.json');
  try {
    const before = `${exact(value)}\n`;
    writeFileSync(file, before, { mode: 0o600 });
    // An editor may be a command with options, as in «code --wait»; the file's name is ours and needs no quoting.
    const { status, error } = spawnSync(`${editor} "${file}"`, { shell: true, stdio: 'inherit' });
    if (error || status !== 0) return { problem: `${editor} did not end well; nothing was changed.` };
    const written = readFileSync(file, 'utf8');
    // Editors that are left without saving end well all the same.
    if (written === before) return { problem: 'Nothing was changed.' };
    return { value: JSON.parse(written) as Json };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { problem: `What was written is not JSON (${why}); nothing was changed.` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
