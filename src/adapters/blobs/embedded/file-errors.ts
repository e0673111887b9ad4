export function fileErrorCode(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}

const sentences: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk of DATA_DIR is full; free some space, and try again',
  EDQUOT: 'the quota of DATA_DIR is used up; free some space, and try again',
  EROFS: 'DATA_DIR is read-only; mount it for writing, and try again',
  EACCES: 'this user cannot write to DATA_DIR; correct its permissions, and try again',
  EPERM: 'this user cannot write to DATA_DIR; correct its permissions, and try again',
  EMFILE: 'this process has too many files open; raise its limit, and try again',
  ENFILE: 'this machine has too many files open; raise its limit, and try again',
  EIO: 'the disk of DATA_DIR has an I/O error; check its health',
};

/** Returns the disk's problem and its remedy as a clause, or undefined if the error is not a file-system error. */
export function fileErrorText(error: unknown): string | undefined {
  const code = fileErrorCode(error);
  return code === undefined ? undefined : (sentences[code] ?? `the disk of DATA_DIR returned ${code}`);
}
