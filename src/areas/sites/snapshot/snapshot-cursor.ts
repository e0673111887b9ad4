/** Returns an opaque cursor for the end of a page of a list. */
export function cursorAt(position: number): string {
  return Buffer.from(`p${position}`).toString('base64url');
}

/** Regular expression for JSON Schema. Every cursor matches it, but not every match is a cursor. */
export const cursorPattern = '^c[A-Za-z0-9_-]{2,22}$';

/** Returns undefined if `cursorAt` did not make the cursor. */
export function snapshotCursorPosition(cursor: string): number | undefined {
  const position = /^p(\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
  return position !== undefined && cursorAt(Number(position)) === cursor ? Number(position) : undefined;
}
