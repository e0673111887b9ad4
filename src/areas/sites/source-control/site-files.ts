import type { JsonObject } from '../../../kernel/json/json.js';
import { foldedName, wrongFileName } from '../../../kernel/text/file-name.js';
import type { Text } from '../../../kernel/text/text.js';
import type { GitTree } from '../../../ports/offloaded/git-repositories.port.js';
import { componentFile, pageFile } from '../build/source-files.api.js';
import { moduleTypes } from '../code-guide/module-types.api.js';
import { normalPath, wrongPath } from '../page/page-path.api.js';
import { noSettings, type SiteRecords, type SiteSettings, UnfitFile, wholeEntry } from './settings-file.js';

export const fileKinds = ['page', 'component', 'emailTemplate'] as const;
export type FileKind = (typeof fileKinds)[number];
export const settingsParts = { page: 'pages', component: 'components', emailTemplate: 'templates' } as const;

/** A page is identified by its path, a component by its name, and a template by its slug. */
export interface FilePlace {
  readonly kind: FileKind;
  readonly key: string;
}

export interface RepositoryFile extends FilePlace {
  readonly path: string;
  readonly content: Text;
}

/** `text` is undefined if the site already has the same text at this path. */
export interface RequestedFile extends FilePlace {
  readonly path: string;
  readonly text: string | undefined;
}

export function repositoryFilesOf({ pages, components, templates }: SiteRecords): readonly RepositoryFile[] {
  return [
    ...pages.map((one) => ({ kind: 'page' as const, key: one.path, path: pageFile(one), content: one.content })),
    ...components.map((one) => ({
      kind: 'component' as const,
      key: one.name,
      path: componentFile(one),
      content: one.content,
    })),
    ...templates.map((one) => ({
      kind: 'emailTemplate' as const,
      key: one.slug,
      path: `emails/${one.slug}.html`,
      content: one.content,
    })),
  ];
}

/** Returns the settings of the records of these files, without those of the project. */
export function settingsOfFiles(files: readonly FilePlace[], settings: SiteSettings): SiteSettings {
  const parts = fileKinds.map((kind) => {
    const part = settingsParts[kind];
    const keys = files.flatMap((file) => (file.kind === kind ? [file.key] : []));
    return [part, new Map(keys.map((key) => [key, settings[part].get(key) ?? {}]))] as const;
  });
  return { ...noSettings, ...Object.fromEntries(parts) };
}

/** Former paths of moved pages, keyed by the present path. */
export type FormerPaths = ReadonlyMap<string, string>;

/**
 * Returns the pages that have no entry in the settings of `head`, but exactly the settings of an entry whose path has no
 * file: git moved the page, and `site.json` still has the entry of the former path.
 */
export function formerPaths(head: GitTree, committed: SiteSettings, { pages }: SiteSettings): FormerPaths {
  const left = [...committed.pages].filter(([path]) => !hasPage(head, path));
  const byEntry = new Map(left.map(([path, entry]) => [textOfEntry(movedEntry(entry)), path]));
  byEntry.delete(textOfEntry(undefined));
  return new Map(
    [...pages].flatMap(([path, page]) => {
      const former = byEntry.get(textOfEntry(page));
      const isUnnamed = former !== undefined && hasPage(head, path) && !committed.pages.has(path);
      return isUnnamed ? [[path, former]] : [];
    }),
  );
}

/** Adds to the settings of `tree`, for each moved page that has no entry, the entry of its former path. */
export function withFormerEntries(settings: SiteSettings, tree: GitTree, former: FormerPaths): SiteSettings {
  const added = [...former].flatMap(([path, from]) => {
    const entry = settings.pages.get(from);
    const applies = entry !== undefined && !settings.pages.has(path) && !hasPage(tree, from);
    return applies ? [[path, movedEntry(entry)] as const] : [];
  });
  return added.length === 0 ? settings : { ...settings, pages: new Map([...settings.pages, ...added]) };
}

/** Only the page at `/` may be the home page. */
export const movedEntry = (entry: JsonObject): JsonObject => ({ ...entry, isHomePage: false });

const hasPage = (tree: GitTree, path: string) => tree.has(pageFile({ path }));
const textOfEntry = (entry: JsonObject | undefined) => JSON.stringify(wholeEntry('pages', '', entry));

/**
 * Returns undefined for files that belong to no record; the repository stores them without an effect on the site.
 * @throws UnfitFile
 */
export function recordAtPath(path: string): FilePlace | undefined {
  const [, folder = '', rest = ''] = /^(pages|components|emails)\/(.+)$/s.exec(path) ?? [];
  if (folder === 'pages' && rest.endsWith('.tsx')) return { kind: 'page', key: pagePathOf(path, rest.slice(0, -4)) };
  if (folder === 'components' && rest.endsWith('.tsx'))
    return { kind: 'component', key: flat(path, rest.slice(0, -4)) };
  if (folder === 'emails' && rest.endsWith('.html'))
    return { kind: 'emailTemplate', key: flat(path, rest.slice(0, -5)) };
  return undefined;
}

/** False for a path that no record can have. */
export function isSitesOwn(path: string): boolean {
  try {
    return recordAtPath(path) !== undefined;
  } catch {
    return false;
  }
}

function flat(path: string, name: string): string {
  if (name.includes('/')) throw new UnfitFile(path, 'components and templates must not be in subfolders');
  return name;
}

function pagePathOf(file: string, rest: string): string {
  const path = rest === 'index' ? '/' : `/${rest.replace(/\[([^\]/]*)\](?=\/|$)/g, ':$1')}`;
  const wrong = wrongPath(path);
  if (wrong !== undefined) throw new UnfitFile(file, `the path of its page ${wrong}`);
  const normal = normalPath(path) ?? path;
  if (pageFile({ path: normal }) !== file) {
    throw new UnfitFile(file, `the file of the page at ${normal} must be ${pageFile({ path: normal })}`);
  }
  return normal;
}

export function unfitFiles(files: readonly RepositoryFile[]): readonly string[] {
  const taken = new Map<string, RepositoryFile>();
  return files.flatMap((file) => {
    const name = file.path
      .split('/')
      .map(wrongFileName)
      .find((wrong) => wrong !== undefined);
    if (name !== undefined) return [`${described(file)} ${name}`];
    if (file.kind === 'component' && file.key.includes('/')) return [`${described(file)} has a slash in its name`];
    if (file.kind === 'page' && file.key === '/index') {
      return [`${described(file)} would have the same file as the page at '/'`];
    }
    const folded = foldedName(file.path);
    const other = taken.get(folded);
    if (other !== undefined) return [`${described(other)} and ${described(file)} would have the same file`];
    taken.set(folded, file);
    return [];
  });
}

const words = { page: 'the page at', component: 'the component', emailTemplate: 'the template' } as const;
const described = ({ kind, key }: FilePlace) => `${words[kind]} '${key}'`;

const tsconfig = {
  compilerOptions: {
    target: 'ES2022',
    module: 'ESNext',
    moduleResolution: 'Bundler',
    jsx: 'react-jsx',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowJs: true,
    paths: { '@/*': ['./*'], '@countersign/site': ['./types/countersign-site.d.ts'] },
  },
  include: ['pages', 'components', 'types'],
};

/** The first commit adds these files, so that editors understand the code. Users may change them. */
export const editorFiles: readonly (readonly [path: string, text: string])[] = [
  ['tsconfig.json', `${JSON.stringify(tsconfig, null, 2)}\n`],
  ['types/countersign-site.d.ts', moduleTypes],
];
