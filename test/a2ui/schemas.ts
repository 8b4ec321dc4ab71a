// The official schemas of A2UI, as its npm package has them: what fits them is what its renderers are promised.
import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

export const versions = ['a2ui-0.8', 'a2ui-0.9', 'a2ui-1.0'] as const;
export type Version = (typeof versions)[number];

const folder = new URL('../../node_modules/@a2ui/web_core/src/', import.meta.url);

function schema(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(new URL(path, folder), 'utf8')) as Record<string, unknown>;
}

function older(name: string): ValidateFunction {
  const ajv = new Ajv({ strict: false });
  formats.default(ajv);
  return ajv.compile(schema(`v0_8/schemas/${name}.json`));
}

/** The messages refer to `catalog.json`, which is whichever catalog a surface uses. */
function newer(version: 'v0_9' | 'v1_0', name: string): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, unicodeRegExp: true });
  formats.default(ajv);
  const catalog = schema(`${version}/schemas/catalogs/basic/catalog.json`);
  ajv.addSchema(schema(`${version}/schemas/common_types.json`));
  ajv.addSchema({ ...catalog, $id: `https://a2ui.org/specification/${version}/catalog.json` });
  return ajv.compile(schema(`${version}/schemas/${name}.json`));
}

/** What a server sends. */
export const toRenderer: Readonly<Record<Version, ValidateFunction>> = {
  'a2ui-0.8': older('server_to_client_with_standard_catalog'),
  'a2ui-0.9': newer('v0_9', 'server_to_client'),
  'a2ui-1.0': newer('v1_0', 'agent_to_renderer'),
};

/** What a renderer sends back. */
export const fromRenderer: Readonly<Record<Version, ValidateFunction>> = {
  'a2ui-0.8': older('client_to_server'),
  'a2ui-0.9': newer('v0_9', 'client_to_server'),
  'a2ui-1.0': newer('v1_0', 'renderer_to_agent'),
};
