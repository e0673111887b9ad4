export interface NumberedLines {
  /** Each number is right-aligned in four characters, or more from 10,000 on, and followed by an arrow and a space. */
  readonly content: string;
  readonly startLine: number;
  /** `startLine - 1` if no line is shown. */
  readonly endLine: number;
  readonly totalLines: number;
}

const arrow = '\u2192';

/** Lines end at line feeds; a carriage return stays in its line. An empty text has no lines. */
export const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.split('\n'));

/** @param offset number of the first line, from 1 */
export function numberedLines(text: string, offset = 1, limit?: number): NumberedLines {
  const lines = linesOf(text);
  const shown = lines.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit);
  return {
    content: shown.map((line, index) => `${String(offset + index).padStart(4)}${arrow} ${line}`).join('\n'),
    startLine: offset,
    endLine: offset + shown.length - 1,
    totalLines: lines.length,
  };
}
