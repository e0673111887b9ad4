import { ReadStoreUnavailable } from '../../../ports/read-store.port.js';

export const Code = { busy: 5, corrupt: 11, notADatabase: 26 } as const;

const damaged =
  'The file of the read store is damaged. Restart the process: it renames the file and rebuilds the read models from the log.';

/** The messages contain no paths, because people other than the operator see them. */
const sentences: Readonly<Record<number, string>> = {
  [Code.busy]: 'Another process is writing the read store and did not finish in time. Try again.',
  6: 'Another process has locked the read store. Try again.',
  7: 'There is not enough memory for the read store. Give the process more memory.',
  8: 'The file of the read store cannot be written. Give the process permission to write to its data directory.',
  10: 'The disk of the read store failed to read or write. Check the disk of the data directory, then try again.',
  [Code.corrupt]: damaged,
  13: 'The disk of the read store is full. Free some space on the disk of the data directory; the service then resumes on its own.',
  14: 'The file of the read store cannot be opened. Check that the data directory exists and is writable.',
  15: 'The read store could not be locked. Try again.',
  [Code.notADatabase]: damaged,
};

export function sqliteCode(error: unknown): number | undefined {
  const { errcode } = marksOf(error);
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

/** Returns unknown errors unchanged. */
export function explainedFailure(error: unknown): unknown {
  const sentence = sentences[sqliteCode(error) ?? 0] ?? aboutNode(error);
  return sentence === undefined ? error : new ReadStoreUnavailable(sentence, { cause: error });
}

export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === Code.corrupt || code === Code.notADatabase;
}

export function isTableGone(error: unknown): boolean {
  return sqliteCode(error) === 1 && String(marksOf(error).message).startsWith('no such table');
}

function aboutNode(error: unknown): string | undefined {
  const { code, syscall } = marksOf(error);
  if (code === 'ERR_INVALID_STATE') return 'The read store is closed: the service is stopping.';
  if (syscall === undefined) return undefined;
  return `The data directory of the read store cannot be used (${code}). Check that it is writable and that its disk has free space.`;
}

/** Does not use `instanceof Error`, because Jest runs tests in a realm with another Error class. */
function marksOf(error: unknown): Readonly<Partial<Record<'errcode' | 'code' | 'syscall' | 'message', unknown>>> {
  return typeof error === 'object' && error !== null ? error : {};
}
