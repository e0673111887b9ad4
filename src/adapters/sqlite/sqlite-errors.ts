const primaryCode = 0xff;

const sentences: Readonly<Record<number, string>> = {
  5: 'another process holds its write lock; end that process or wait for it, and try again',
  6: 'another process holds its write lock; end that process or wait for it, and try again',
  8: 'its file cannot be written; give the service permission to write it, and try again',
  10: 'the disk failed to read or write; check the disk and the machine’s log, and try again',
  11: 'its file is damaged; stop the service and restore the file from a backup',
  13: 'the disk is full; free some space, and try again',
  14: 'its file cannot be opened; check the permissions of the data directory, and try again',
  26: 'its file is not a database; stop the service and restore the file from a backup',
};

/** Does not use `instanceof Error`, because Jest runs tests in a realm with another Error class. */
export function isSqliteError(error: unknown): error is { readonly errcode: number } {
  return typeof error === 'object' && error !== null && 'errcode' in error && typeof error.errcode === 'number';
}

/**
 * Returns a clause about the problem and its remedy. It contains no path, because callers of the service see it.
 * Undefined if the error is neither from SQLite nor about a closed connection.
 */
export function sqliteErrorText(error: unknown): string | undefined {
  if (isClosed(error)) return 'it is closed, because the service is stopping';
  if (!isSqliteError(error)) return undefined;
  return (
    sentences[error.errcode & primaryCode] ??
    `SQLite failed with code ${error.errcode}; look up this code, and try again`
  );
}

function isClosed(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_INVALID_STATE';
}
