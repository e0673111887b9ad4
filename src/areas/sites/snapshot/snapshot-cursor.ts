export function cursorAt(position: number): string {
  return Buffer.from(`p${position}`).toString('base64url');
}

/** For JSON Schema. Some strings that match the pattern are not cursors. */
export const cursorPattern = '^c[A-Za-z0-9_-]{2,22}$';

export function snapshotCursorPosition(cursor: string): number | undefined {
  const position = /^p(\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
  return position !== undefined && cursorAt(Number(position)) === cursor ? Number(position) : undefined;
}
