// The page that plays an exported run, all in one: what is written here for `vitrine export` and the server to put a run into.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Rolldown } from 'vite';

export async function exportedPage(web: string): Promise<string> {
  const made = (await build({
    configFile: join(web, 'vite.config.ts'),
    logLevel: 'warn',
    build: {
      write: false,
      cssCodeSplit: false,
      rolldownOptions: {
        input: join(web, 'src/exported/main.tsx'),
        output: { codeSplitting: false },
      },
    },
  })) as Rolldown.RolldownOutput | Rolldown.RolldownOutput[];
  const files = [made].flat().flatMap(({ output }) => output);
  const scripts = files.flatMap((file) => (file.type === 'chunk' ? file.code : []));
  const styles = files.flatMap((file) =>
    file.type === 'asset' && file.fileName.endsWith('.css') ? String(file.source) : [],
  );
  const [script, ...more] = scripts;
  if (script === undefined || more.length > 0)
    throw new Error(`The page has ${scripts.length} scripts, not one.`);
  return pageOf(readFileSync(join(web, 'exported.html'), 'utf8'), {
    script: script.replaceAll('</script', String.raw`<\/script`).replaceAll('<!--', String.raw`<\!--`),
    style: styles.join('\n'),
  });
}

/** The policy lets run what is written here and nothing else, and lets nobody be asked for anything. */
function pageOf(
  page: string,
  { script, style }: { readonly script: string; readonly style: string },
): string {
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return page
    .replace('<!--policy-->', `<meta http-equiv="content-security-policy" content="${policy}" />`)
    .replace('<!--style-->', () => `<style>${style}</style>`)
    .replace('<!--script-->', () => `<script type="module">${script}</script>`);
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
