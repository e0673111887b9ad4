import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { MailIntake } from './mail-intake.js';

const megabyte = 1024 * 1024;
const noLeave = () => undefined;

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collectGarbage: unknown = runInNewContext('gc');
  if (typeof collectGarbage === 'function') collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe('a mail that arrives in very small pieces', () => {
  it('uses about as much memory as its size', async () => {
    const count = 200_000;
    const before = heapUsed();
    let grown = 0;
    async function* pieces() {
      for (let at = 0; at < count; at++) {
        if (at % 1_000 === 0) await setImmediate();
        yield Buffer.from('a\r\n');
      }
      grown = heapUsed() - before;
    }
    const { raw } = await new MailIntake(megabyte).read(Readable.from(pieces()), noLeave);
    expect([raw.length, raw.subarray(-6).toString()]).toEqual([3 * count, 'a\r\na\r\n']);
    expect(grown).toBeLessThan(4 * megabyte);
  });

  it('counts with the memory it uses, and gives it back', async () => {
    const intake = new MailIntake(16 * 1024);
    const read = () => intake.read(Readable.from([Buffer.from('a\r\n')]), noLeave);
    const mails = [];
    for (let at = 0; at < 8; at++) mails.push(await read());
    await expect(read()).rejects.toMatchObject({ responseCode: 451 });
    for (const { done } of mails) done();
    expect((await read()).raw.toString()).toBe('a\r\n');
  });
});
