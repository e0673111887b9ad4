import { MongoBulkWriteError, MongoServerError } from 'mongodb';
import { mongoErrorText } from './mongo-errors.js';

const server = (code: number, message = 'refused', errorLabels: readonly string[] = []) =>
  new MongoServerError({ ok: 0, code, errmsg: message, message, errorLabels: [...errorLabels] });

describe('an error of MongoDB', () => {
  it.each([24, 46, 63, 112, 211, 276, 365, 391, 462])('can be retried with the code %d', (code) => {
    expect(mongoErrorText(server(code))).toMatch(/try again$/);
  });

  it.each(['TransientTransactionError', 'SystemOverloadedError', 'RetryableWriteError'])(
    'can be retried with the label %s, with any code',
    (label) => {
      expect(mongoErrorText(server(123_456, 'new', [label]))).toMatch(/try again$/);
    },
  );

  it('is distinguished by its text if one code means both missing rights and a full disk', () => {
    expect(mongoErrorText(server(8_000, 'you are over your space quota, using 513 MB of 512 MB'))).toMatch('is full');
    expect(mongoErrorText(server(8_000, 'bad auth : authentication failed'))).toMatch('refused the user');
  });

  it.each(['ENOTFOUND', 'ETIMEOUT', 'ESERVFAIL', 'ECONNREFUSED'])(
    'is a server that cannot be found, if %s comes from the look-up of its name, and does not show the name',
    (code) => {
      const error = Object.assign(new Error(`querySrv ${code} _mongodb._tcp.secret.example`), { code });
      const text = mongoErrorText(Object.assign(error, { syscall: 'querySrv' }));
      expect(text).toMatch('MongoDB does not answer');
      expect(text).not.toMatch('secret');
    },
  );

  it('is an unreadable file, if the URL names one', () => {
    const error = Object.assign(new Error("ENOENT: open '/certs/ca.pem'"), { code: 'ENOENT', syscall: 'open' });
    expect(mongoErrorText(error)).toMatch('a certificate file that MONGODB_URL names cannot be read');
  });

  it('is the full disk behind a duplicate, in a bulk write', () => {
    const writeErrors = [{ code: 11_000 }, { code: 14_031 }];
    const error = new MongoBulkWriteError({ code: 11_000, message: 'E11000', writeErrors } as never, {} as never);
    expect(mongoErrorText(Object.assign(error, { writeErrors }))).toMatch('is full');
  });

  it('is not about the server if it is about the command itself', () => {
    expect(mongoErrorText(server(11_000, 'E11000 duplicate key'))).toBeUndefined();
    expect(mongoErrorText(new TypeError('wrong'))).toBeUndefined();
  });
});
