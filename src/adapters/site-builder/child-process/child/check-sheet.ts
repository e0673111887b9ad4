import type { PartialMessage } from 'esbuild';
import { BuildFault } from './build-fault.js';

/** Maximum size of the style sheets of all packages of a site, in bytes. */
const mostBytes = 5_000_000;
/**
 * Maximum size of the style sheets of all pages, in bytes. A page's style sheet includes the packages' sheets that the
 * page needs.
 */
const mostOfPages = 250_000_000;

export class SheetBudget {
  private taken = 0;

  add(bytes: number): PartialMessage | undefined {
    this.taken += bytes;
    if (this.taken <= mostBytes) return undefined;
    return {
      text: `The style sheets of packages have more than ${mostBytes / 1e6} MB together. Import fewer of them.`,
    };
  }
}

export class PageSheetBudget {
  private taken = 0;

  add(bytes: number): void {
    this.taken += bytes;
    if (this.taken <= mostOfPages) return;
    throw new BuildFault(
      `The style sheets of the pages have more than ${mostOfPages / 1e6} MB together. Import fewer sheets of packages.`,
    );
  }
}

/** The style engine cannot load code or search for files here, so this check only gives a better error message. */
export function checkedSheet(file: string, text: string): PartialMessage | undefined {
  const withoutComments = text.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, (comment) => comment.replace(/[^\n]/g, ' '));
  const found = /@(plugin|config|source)\b/i.exec(withoutComments);
  if (found === null) return undefined;
  const before = withoutComments.slice(0, found.index).split('\n');
  const lineText = text.split('\n')[before.length - 1] ?? '';
  return {
    text: `'@${found[1]}' is not allowed in style sheets of a site: no code runs and no files are read while it is built.`,
    location: { file, line: before.length, column: before.at(-1)?.length ?? 0, lineText: lineText.slice(0, 200) },
  };
}
