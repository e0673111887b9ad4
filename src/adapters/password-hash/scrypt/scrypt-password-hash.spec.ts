import { describe, expect, it } from '@jest/globals';
import { PasswordHashBusy, type PasswordLine } from '../../../ports/offloaded/password-hash.port.js';
import { ScryptPasswordHash } from './scrypt-password-hash.adapter.js';

const line: PasswordLine = { siteId: 'proj', kind: 'sign-in' };
const quick = { ln: 4, r: 8, p: 1 };
const hashes = new ScryptPasswordHash(quick);
const hash = (password: string) => hashes.hash(line, password);
const matches = (password: string, text: string | undefined) => hashes.matches(line, password, text);

describe('a hash of a password', () => {
  it('matches that password and no other', async () => {
    const text = await hash('correct horse');
    expect([await matches('correct horse', text), await matches('correct horsE', text)]).toEqual([true, false]);
    expect([await matches('', text), await matches('correct horse\u0000', text)]).toEqual([false, false]);
  });

  it('differs each time, and contains its parameters', async () => {
    const [one, two] = [await hash('same'), await hash('same')];
    expect(one).not.toBe(two);
    expect(one).toMatch(/^\$scrypt\$ln=4,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  });

  it('uses N of 2^15, r of 8 and p of 1 by default', async () => {
    expect(await new ScryptPasswordHash().hash(line, 'x')).toMatch(/^\$scrypt\$ln=15,r=8,p=1\$/);
  });

  it('with other parameters is still accepted', async () => {
    const text = await hash('correct horse');
    expect(await new ScryptPasswordHash({ ln: 5, r: 4, p: 2 }).matches(line, 'correct horse', text)).toBe(true);
  });

  it.each([
    undefined,
    '',
    'plain',
    '$scrypt$ln=4,r=8,p=1$c2FsdA',
    '$scrypt$ln=40,r=8,p=1$c2FsdHNhbHQ$c2FsdHNhbHQ',
    '$scrypt$ln=4,r=0,p=1$c2FsdHNhbHQ$c2FsdHNhbHQ',
    '$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaA',
  ])('that is invalid (%s) matches no password', async (text) => {
    expect(await matches('anything', text)).toBe(false);
  });

  it('is refused if too many are requested at once, and the others are made', async () => {
    const made = await Promise.allSettled(Array.from({ length: 60 }, (_, n) => hash(`password ${n}`)));
    const refused = made.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused).toHaveLength(8);
    expect(refused.every((error) => error instanceof PasswordHashBusy && error.retryAfterSeconds > 0)).toBe(true);
    expect(await matches('again', await hash('again'))).toBe(true);
  });
});
