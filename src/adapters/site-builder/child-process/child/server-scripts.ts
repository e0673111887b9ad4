import { type TransformFailure, transform } from 'esbuild';
import type { BundledFile } from './scripts.js';

/** Must be evaluated before all other scripts. A registered script is evaluated when it is first used. */
export const registryStatements = `var siteScripts = { made: {}, ran: {} };
siteScripts.get = function (path) {
  var name = path.slice(path.lastIndexOf('/') + 1), ran = siteScripts.ran, make = siteScripts.made[name];
  if (ran[name]) return ran[name].exports;
  if (!make) throw new Error('The script ' + name + ' is not there.');
  var module = ran[name] = { exports: {} };
  make(siteScripts.get, module, module.exports);
  return module.exports;
};`;

/** Differs from the names of all scripts. */
export const registryName = 'registry';

export const runStatement = (script: string): string => `siteScripts.get(${JSON.stringify(script)});`;
export const pageStatement = (script: string): string =>
  `globalThis.sitePage = siteScripts.get(${JSON.stringify(script)}).default;`;

/** Replaces a script that has a top-level await. Only browsers can render pages that need such a script. */
const waits = "throw new Error('One of its modules uses a top-level await, which only browsers support.');";

/** Isolates do not support modules, so the script is converted. */
export async function serverStatement({ name, bytes }: BundledFile): Promise<string> {
  const code = await plainScript(Buffer.from(bytes).toString('utf8'));
  return `siteScripts.made[${JSON.stringify(name)}] = function (require, module, exports) {${code}\n};`;
}

async function plainScript(source: string): Promise<string> {
  try {
    const settings = { minify: true, target: 'es2024', platform: 'neutral', logLevel: 'silent' } as const;
    return (await transform(source, { ...settings, format: 'cjs' })).code;
  } catch (error) {
    const [first] = (error as Partial<TransformFailure>).errors ?? [];
    if (first?.text.startsWith('Top-level await')) return waits;
    throw error;
  }
}
