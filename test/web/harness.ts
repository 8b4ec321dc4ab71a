// Parts of the app in a page of their own, built as the app is: what a test feeds them is all there is.
import { resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { build, type Plugin, type Rolldown } from 'vite';

const root = resolve(import.meta.dirname, '../..');

/** A page with one of the modules of this folder in it. */
export async function harness(
  browser: Browser,
  module: string,
  plugins: readonly Plugin[] = [],
): Promise<Page> {
  const files = await built(module, plugins);
  const name = module.replace(/\.tsx$/, '');
  const entry = files.keys().find((file) => file.includes(name) && file.endsWith('.js'));
  const styles = files.keys().filter((file) => file.endsWith('.css'));
  const links = [...styles].map((file) => `<link rel="stylesheet" href="/${file}">`).join('');
  const page = await browser.newPage();
  await page.route('http://harness.test/**', (route) => {
    const file = new URL(route.request().url()).pathname.slice(1);
    if (file === '')
      return route.fulfill({
        contentType: 'text/html',
        body: `<!doctype html>${links}<script type="module" src="/${entry}"></script>`,
      });
    const contentType = file.endsWith('.css') ? 'text/css' : 'text/javascript';
    return route.fulfill({ contentType, body: files.get(file) ?? '' });
  });
  await page.goto('http://harness.test/');
  return page;
}

async function built(module: string, plugins: readonly Plugin[]): Promise<ReadonlyMap<string, string>> {
  const made = (await build({
    configFile: resolve(root, 'web/vite.config.ts'),
    root,
    logLevel: 'silent',
    plugins: [...plugins],
    build: { write: false, rolldownOptions: { input: resolve(import.meta.dirname, module) } },
  })) as Rolldown.RolldownOutput;
  return new Map(
    made.output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : String(file.source)]),
  );
}
