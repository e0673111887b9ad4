import { isSqliteError } from '../sqlite/sqlite-errors.js';

/** An Error that is copied to another thread loses the properties by which callers distinguish errors. */
export interface EncodedError {
  readonly message: string;
  readonly errcode?: number;
}

export function encodeError(error: unknown): EncodedError {
  const message = error instanceof Error ? error.message : String(error);
  return isSqliteError(error) ? { message, errcode: error.errcode } : { message };
}

export function decodeError({ message, errcode }: EncodedError): Error {
  return errcode === undefined ? new Error(message) : Object.assign(new Error(message), { errcode });
}
