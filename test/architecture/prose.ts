const anchorOf = (heading: string) =>
  heading
    .replace(/`/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** The lines of a page outside its code blocks. */
export function linesOf(page: string): readonly string[] {
  let isCode = false;
  return page.split('\n').filter((line) => {
    const fence = /^\s*```/.test(line);
    if (fence) isCode = !isCode;
    return !fence && !isCode;
  });
}

export const anchorsOf = (page: string): readonly string[] =>
  linesOf(page)
    .filter((line) => /^#+ /.test(line))
    .map((line) => anchorOf(line.replace(/^#+ /, '').replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')));

const isTable = (line: string) => /^\s*\|/.test(line);

/** Paragraphs, list items and table cells, each as one line. */
function blocksOf(page: string): readonly string[] {
  const blocks: string[] = [''];
  for (const line of linesOf(page)) {
    if (isTable(line)) blocks.push(...line.split(/(?<!\\)\|/), '');
    else if (/^\s*$|^#/.test(line)) blocks.push('');
    else if (/^\s*([-*]|\d+\.) /.test(line)) blocks.push(line.replace(/^\s*\S+ /, ''));
    else blocks.push(`${blocks.pop()} ${line}`);
  }
  return blocks;
}

/** Sentences end with a full stop, question mark or exclamation mark. Inline code and link texts count as words. */
export const sentencesOf = (page: string): readonly string[] =>
  blocksOf(page).flatMap((block) =>
    block
      .replace(/`[^`]+`/g, 'code')
      .replace(/\]\([^)]*\)/g, ']')
      .trim()
      .split(/(?<=[.!?][)"'*_\]]*)\s+/),
  );

export const wordsOf = (sentence: string): number =>
  sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

export const linesLongerThan = (most: number, page: string): readonly string[] =>
  linesOf(page).filter((line) => !isTable(line) && line.length > most);
