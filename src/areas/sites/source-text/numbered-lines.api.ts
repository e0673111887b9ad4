export interface NumberedLines {
  /**
   * Lines prefixed by their number, which is right-aligned in four characters (more from 10,000 on), an arrow and a
   * space.
   */
  readonly content: string;
  /** Line number, from 1. */
  readonly startLine: number;
  /** Number of the last line shown; `startLine - 1` if no line is shown. */
  readonly endLine: number;
  readonly totalLines: number;
}

const arrow = '\u2192';

/** Lines end at line feeds; a carriage return stays part of its line. An empty text has no lines. */
export const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.split('\n'));

/** Returns lines from `offset`, which counts from 1. Past the end of the text there are none. */
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
