// Imports nothing of ours: jest loads it as it stands.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

// Its types tell of its CommonJS form only.
const { default: JestRuntime }: typeof import('jest-runtime') = createRequire(import.meta.url)('jest-runtime');

type Given = ConstructorParameters<typeof JestRuntime>;

/** Of the spec file that runs: a worker runs one at a time. */
let running: { readonly transformer: Given[3]; readonly globals: readonly string[] } | undefined;
let rootUrl = '';
let specs = 0;
const sourceMaps = new Map<string, string>();

/**
 * Lets Node load the specs. Jest's own loader starts every spec file with no modules at all, and loading the service took
 * longer than most files take to test it. Here a worker loads the product and its packages once. A spec file, and what it
 * imports of `test`, is loaded anew for each spec file, because it holds that file's `describe` and `expect`. A spec
 * file that declares operations or records gets a product of its own as well: the product keeps lists of them, and other
 * files look at these lists.
 */
export default class NativeRuntime extends JestRuntime {
  readonly #transformer: Given[3];
  readonly #spec = ++specs;

  constructor(...given: Given) {
    super(...given);
    this.#transformer = given[3];
    rootUrl = pathToFileURL(`${given[0].rootDir}/`).href;
  }

  override unstable_shouldLoadAsEsm(): boolean {
    return true;
  }

  override async unstable_importModule(file: string): Promise<unknown> {
    const globals = this.requireModuleOrMock<Record<string, unknown>>(file, '@jest/globals');
    Object.assign(globalThis, globals);
    running = { transformer: this.#transformer, globals: Object.keys(globals) };
    const whole = declares.test(readFileSync(file, 'utf8')) ? '&whole' : '';
    return import(`${pathToFileURL(file).href}?spec=${this.#spec}${whole}`);
  }

  override getSourceMaps(): Map<string, string> {
    return sourceMaps;
  }
}

/** Declares an operation or a kind of record. */
const declares =
  /\b(?:registerOperation|functionsOwnedBy|resource)\(|\b(?:plainRecord|record|noun)<|\/(?:bound-operation|record-command|boxes)\.js'/;

const isOurs = (url: string) => rootUrl !== '' && url.startsWith(rootUrl) && !url.includes('/node_modules/');
const isOfOneSpec = (url: string, spec: string) =>
  isOurs(url) && (spec.endsWith('&whole') || url.startsWith(`${rootUrl}test/`) || url.endsWith('.spec.ts'));

/** As the compiler reads it: `./thing.js` is `./thing.ts`, where there is one. */
function asSource(specifier: string, parent: string | undefined): string {
  if (parent === undefined || !isOurs(parent) || !/^\..*\.js$/.test(specifier)) return specifier;
  const url = new URL(specifier.replace(/\.js$/, '.ts'), parent);
  return existsSync(url) ? url.href : specifier;
}

registerHooks({
  resolve: (specifier, context, next) => {
    const spec = /\?spec=\d+(?:&whole)?$/.exec(context.parentURL ?? '')?.[0];
    if (spec !== undefined && specifier === '@jest/globals') {
      return { url: `jest-globals:${spec}`, format: 'module', shortCircuit: true };
    }
    const found = next(asSource(specifier, context.parentURL), context);
    return spec !== undefined && isOfOneSpec(found.url, spec) ? { ...found, url: `${found.url}${spec}` } : found;
  },
  load: (url, context, next) => {
    if (running !== undefined && url.startsWith('jest-globals:')) {
      const source = `export const { ${running.globals.join(', ')} } = globalThis;`;
      return { format: 'module', source, shortCircuit: true };
    }
    const file = url.replace(/\?.*$/, '');
    if (running === undefined || !isOurs(url) || !file.endsWith('.ts')) return next(url, context);
    const { code, sourceMapPath } = running.transformer.transform(fileURLToPath(file), {
      collectCoverage: false,
      collectCoverageFrom: [],
      coverageProvider: 'v8',
      isInternalModule: false,
      supportsDynamicImport: true,
      supportsExportNamespaceFrom: true,
      supportsStaticESM: true,
      supportsTopLevelAwait: true,
    });
    if (sourceMapPath !== null) sourceMaps.set(url, sourceMapPath);
    return { format: 'module', source: code, shortCircuit: true };
  },
});
