// Jest loads this file without a build, so it must not import the service.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

// The types of jest-runtime describe only its CommonJS form.
const { default: JestRuntime }: typeof import('jest-runtime') = createRequire(import.meta.url)('jest-runtime');

type Given = ConstructorParameters<typeof JestRuntime>;

/** State of the current spec file. A worker runs one file at a time. */
let running: { readonly transformer: Given[3]; readonly globals: readonly string[] } | undefined;
let rootUrl = '';
let specs = 0;
const sourceMaps = new Map<string, string>();

/**
 * Lets Node load the specs. Jest's own loader starts every spec file without any modules, and loading the service took
 * longer than most files take to test it. Here, a worker loads the product and its packages only once. Each spec file,
 * and what it imports from `test`, is loaded anew, because it holds the file's own `describe` and `expect`. A spec file
 * that declares operations or records also gets its own copy of the product, because the product lists all declarations
 * and other spec files check these lists.
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

/** Matches spec files that declare an operation or a kind of record. */
const declares =
  /\b(?:registerOperation|functionsOwnedBy|resource)\(|\b(?:plainRecord|record|noun)<|\/(?:bound-operation|record-command|boxes)\.js'/;

const isOurs = (url: string) => rootUrl !== '' && url.startsWith(rootUrl) && !url.includes('/node_modules/');
const isOfOneSpec = (url: string, spec: string) =>
  isOurs(url) && (spec.endsWith('&whole') || url.startsWith(`${rootUrl}test/`) || url.endsWith('.spec.ts'));

/** Resolves imports as the compiler does: `./thing.js` is `./thing.ts` if that exists. */
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
