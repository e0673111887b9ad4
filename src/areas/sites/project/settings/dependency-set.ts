import semver from 'semver';
import type { Dependencies } from './project-settings.record.js';

export interface RefusedPackage {
  readonly name: string;
  readonly version: string;
  readonly reason: string;
}

const mostPackages = 200;
const longestName = 214;
const longestVersion = 256;

/** npm's rule for names of new packages, which is stricter than that for existing packages. */
const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const tag = /^[A-Za-z][A-Za-z0-9._-]{0,99}$/;
/** npm reads a version that ends like this as the path of a local file. */
const archive = /\.(?:tgz|tar|tar\.gz|zip)$/i;

/** The service provides these packages in one version for all sites. */
const pinned: readonly (readonly [what: string, names: RegExp])[] = [
  ['React', /^(?:react|react-dom|scheduler|@types\/react|@types\/react-dom)$/],
  ['the bundler', /^(?:esbuild|esbuild-wasm|@esbuild\/.+|rollup|@rollup\/.+|webpack|webpack-cli|parcel|rolldown)$/],
  [
    'the build tool',
    /^(?:vite|@vitejs\/.+|vite-plugin-.+|esbuild-plugin-.+|rollup-plugin-.+|.+-loader|.+-webpack-plugin)$/,
  ],
  ['the CSS toolchain', /^(?:tailwindcss|@tailwindcss\/.+|postcss|postcss-.+|autoprefixer|lightningcss|cssnano)$/],
  ['the compiler', /^(?:typescript|@babel\/.+|babel-.+|@swc\/.+|oxc-.+|@oxc-.+\/.+)$/],
  ['the platform', /^@countersign\/.+$/],
];

export function refusedPackages(dependencies: Readonly<Record<string, unknown>>): readonly RefusedPackage[] {
  const entries = Object.entries(dependencies);
  return entries.flatMap(([name, version], index) => {
    const reason =
      index >= mostPackages
        ? `exceeds the limit of ${mostPackages} packages per site`
        : (wrongPackage(name) ?? wrongVersion(version));
    const shownVersion = typeof version === 'string' ? version : JSON.stringify(version);
    return reason === undefined
      ? []
      : [{ name: name.slice(0, longestName), version: shownVersion.slice(0, longestVersion), reason }];
  });
}

/** Sorted by name, so that equal sets are equal as JSON. */
export function dependenciesInOrder(dependencies: Readonly<Record<string, unknown>>): Dependencies {
  const pairs = Object.entries(dependencies).map(([name, version]) => [name, String(version)] as const);
  return Object.fromEntries(pairs.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function wrongPackage(name: string): string | undefined {
  if (name.length > longestName || !packageName.test(name) || name === 'node_modules') {
    return 'is not the name of an npm package';
  }
  const [what] = pinned.find(([, names]) => names.test(name)) ?? [];
  return what === undefined ? undefined : `belongs to ${what}, which is pinned and cannot be replaced`;
}

function wrongVersion(version: unknown): string | undefined {
  if (typeof version !== 'string') return 'has a version that is not a string';
  const isRegistry =
    version !== '' &&
    version === version.trim() &&
    version.length <= longestVersion &&
    !archive.test(version) &&
    (semver.validRange(version) !== null || tag.test(version));
  return isRegistry
    ? undefined
    : 'has a version that a registry cannot resolve; send one such as 1.2.3, ^1.2.0, 1.x or latest';
}
