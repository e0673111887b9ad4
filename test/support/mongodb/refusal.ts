import type { Fields } from './wire.js';

/** An error response of the server. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    readonly codeName: string,
    message: string,
    readonly more: Fields = {},
  ) {
    super(message);
  }

  get answer(): Fields {
    return { ok: 0, errmsg: this.message, code: this.code, codeName: this.codeName, ...this.more };
  }
}

export const notPrimaryCodes: Readonly<Record<number, string>> = {
  91: 'ShutdownInProgress',
  189: 'PrimarySteppedDown',
  10107: 'NotWritablePrimary',
  11600: 'InterruptedAtShutdown',
  11602: 'InterruptedDueToReplStateChange',
  13435: 'NotPrimaryNoSecondaryOk',
};

export const badValue = (message: string): Refusal => new Refusal(2, 'BadValue', message);
export const unknownField = (command: string, field: string): Refusal =>
  new Refusal(40415, 'Location40415', `BSON field '${command}.${field}' is an unknown field.`);
export const namespaceNotFound = (name: string): Refusal =>
  new Refusal(26, 'NamespaceNotFound', `ns does not exist: ${name}`);

const passing = { errorLabels: ['TransientTransactionError'] };

export const writeConflict = (inTransaction: boolean): Refusal =>
  new Refusal(112, 'WriteConflict', 'Caused by :: Write conflict during plan execution.', inTransaction ? passing : {});
export const noSuchTransaction = (): Refusal =>
  new Refusal(251, 'NoSuchTransaction', 'The transaction has been aborted or was never begun.', passing);
export const transactionTooOld = (): Refusal =>
  new Refusal(225, 'TransactionTooOld', 'A newer transaction has begun on this session.', passing);
export const timeLimitExceeded = (): Refusal => new Refusal(50, 'MaxTimeMSExpired', 'operation exceeded time limit');
