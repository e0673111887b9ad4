import type { PartialMessage } from 'esbuild';
import { BuildFault } from './build-fault.js';

/** Limit of all style sheets of a site's packages. */
const mostBytes = 5_000_000;
/** Limit of the sheets of all pages of a build, each of which includes the packages' sheets that it needs. */
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

/** The budget for sheets of pages. */
export class PageSheetBudget {
  private taken = 0;

  /** @throws BuildFault */
  add(bytes: number): void {
    this.taken += bytes;
    if (this.taken <= mostOfPages) return;
    throw new BuildFault(
      `The style sheets of the pages have more than ${mostOfPages / 1e6} MB together. Import fewer sheets of packages.`,
    );
  }
}

/**
 * Refuses statements that would make the style engine load code or search for files. The engine could do neither, so
 * this only results in a better error message.
 */
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
