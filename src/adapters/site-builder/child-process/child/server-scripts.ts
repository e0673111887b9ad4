import { type TransformFailure, transform } from 'esbuild';
import type { BundledFile } from './scripts.js';

/**
 * JavaScript that must be evaluated before all other scripts. It defines a registry of scripts by name. A script is
 * evaluated when it is first used.
 */
export const registryStatements = `var siteScripts = { made: {}, ran: {} };
siteScripts.get = function (path) {
  var name = path.slice(path.lastIndexOf('/') + 1), ran = siteScripts.ran, make = siteScripts.made[name];
  if (ran[name]) return ran[name].exports;
  if (!make) throw new Error('The script ' + name + ' is not there.');
  var module = ran[name] = { exports: {} };
  make(siteScripts.get, module, module.exports);
  return module.exports;
};`;

/** Name under which `registryStatements` is sent. No script has this name. */
export const registryName = 'registry';

/**
 * These functions return the statements that prepare a rendering. `runStatement` runs the platform's renderer, which
 * sets `renderPage`. `pageStatement` sets `sitePage`, which `renderPage` renders.
 */
export const runStatement = (script: string): string => `siteScripts.get(${JSON.stringify(script)});`;
export const pageStatement = (script: string): string =>
  `globalThis.sitePage = siteScripts.get(${JSON.stringify(script)}).default;`;

/**
 * Code that replaces a script with a top-level await. A page that needs the script cannot be rendered on the server, so
 * browsers render it.
 */
const waits = "throw new Error('A module of it waits at its top, outside of functions, which only browsers can do.');";

/**
 * Returns JavaScript that registers a browser script. The script is converted, because isolates do not support modules.
 */
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
