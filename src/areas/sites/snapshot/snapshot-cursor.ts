/** Returns an opaque cursor that contains this position. */
export function cursorAt(position: number): string {
  return Buffer.from(`p${position}`).toString('base64url');
}

/** Pattern of cursors for JSON Schema. Some strings that match it are not cursors. */
export const cursorPattern = '^c[A-Za-z0-9_-]{2,22}$';

/** Returns the position in a cursor, or undefined if `cursorAt` did not make the cursor. */
export function snapshotCursorPosition(cursor: string): number | undefined {
  const position = /^p(\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
  return position !== undefined && cursorAt(Number(position)) === cursor ? Number(position) : undefined;
}
