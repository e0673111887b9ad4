import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Environment } from '../../config/environment.js';
import { declarePersonal, sealedValuesIn } from '../../kernel/event/personal-data.js';
import type { Clock } from '../../ports/clock.port.js';
import type { SealOptions, Vault } from '../../ports/vault.port.js';
import { refusalOf } from '../refusals/engine.refusals.js';
import { PersonalData } from './personal-data.js';
import { SubjectKeys } from './subject-keys.js';

declarePersonal('specGuest', { name: 'A former guest', facts: null });

const stream = 'specGuest-ws_1.guest_1';
const anything = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);

class MemoryVault {
  readonly entries = new Map<string, Uint8Array>();
  opened = 0;

  async seal(name: string, value: Uint8Array, { ifAbsent }: SealOptions = {}): Promise<boolean> {
    if (ifAbsent && this.entries.has(name)) return false;
    this.entries.set(name, value);
    return true;
  }

  async open(name: string): Promise<Uint8Array | undefined> {
    this.opened += 1;
    return this.entries.get(name);
  }
}

function scene({ shared = true } = {}) {
  const vault = new MemoryVault();
  let now = 0;
  const process = () => {
    const keys = new SubjectKeys(vault as unknown as Vault, { now: () => now } as Clock, { shared } as Environment);
    return new PersonalData(keys, vault as unknown as Vault);
  };
  return { vault, process, personal: process(), pass: (ms: number) => (now += ms) };
}

async function sealedData(personal: PersonalData, data: object, of = stream): Promise<Record<string, unknown>> {
  const [event] = await personal.sealed(of, [{ type: 'GuestAdded', data }]);
  return event?.data as Record<string, unknown>;
}

describe('personal data', () => {
  test('of any JSON value is sealed and opened again; other fields do not change', async () => {
    const { personal } = scene();
    await fc.assert(
      fc.asyncProperty(anything, anything, anything, async (name, facts, other) => {
        const data = { name, facts, other };
        const sealed = await sealedData(personal, data);
        expect(Object.keys(sealed)).toEqual(Object.keys(data));
        expect([typeof sealed['name'], typeof sealed['facts']]).toEqual(['string', 'string']);
        expect(sealed['other']).toEqual(other);
        expect(await personal.opened('ws_1', { ...sealed, other: null })).toEqual({ ...data, other: null });
      }),
    );
  });

  test('sealed again gives the same text, and so do equal values, in every process', async () => {
    const { personal, process } = scene();
    const sealed = await sealedData(personal, { name: 'Grace' });
    expect(await sealedData(personal, sealed)).toEqual(sealed);
    expect(await sealedData(process(), { name: 'Grace' })).toEqual(sealed);
    expect(await sealedData(personal, { name: 'Ada' })).not.toEqual(sealed);
  });

  test('is opened within longer texts, lists, keyed objects and refusals, and nothing else is copied', async () => {
    const { personal } = scene();
    const { name } = await sealedData(personal, { name: 'Grace "G" Hopper' });
    const untouched = { set: new Set([1]), deep: [{ a: 1 }] };
    const opened = await personal.opened('ws_1', { said: `by ${name}, not by ${name}s`, list: [[name]], untouched });
    expect(opened).toEqual({
      said: 'by Grace "G" Hopper, not by Grace "G" Hoppers',
      list: [['Grace "G" Hopper']],
      untouched,
    });
    expect(opened.untouched).toBe(untouched);
    const refusal = refusalOf('run-not-allowed', { name: 'f', who: `the member ${name}` });
    expect((await personal.openedRefusal('ws_1', refusal)).message).toContain('the member Grace "G" Hopper');
  });

  test('is not opened for another workspace, record or field, or when it was changed', async () => {
    const { personal } = scene();
    const { name } = await sealedData(personal, { name: 'Grace' });
    await sealedData(personal, { name: 'Ada' }, 'specGuest-ws_1.guest_2');
    await sealedData(personal, { name: 'Eve' }, 'specGuest-ws_2.guest_1');
    const text = String(name);
    const [found] = sealedValuesIn(text);
    const flipped = text.replace(/(.)\.$/, (_, last) => `${last === 'A' ? 'Q' : 'A'}.`);
    for (const moved of [text.replace('guest_1', 'guest_2'), text.replace('/name:', '/facts:'), flipped]) {
      expect(moved).not.toBe(text);
      expect(await personal.opened('ws_1', moved)).toBe(moved);
    }
    expect(await personal.opened('ws_2', text)).toBe(text);
    expect(found).toMatchObject({ category: 'specGuest', id: 'guest_1', field: 'name' });
  });

  test('that only looks sealed for another record is sealed as plain text', async () => {
    const { personal } = scene();
    const { name: others } = await sealedData(personal, { name: 'Ada' }, 'specGuest-ws_1.guest_2');
    const { name } = await sealedData(personal, { name: others });
    expect(await personal.opened('ws_1', name)).toBe(others);
  });

  test('reads as erased once the key is destroyed, for every type, and is no longer recorded', async () => {
    const { personal } = scene();
    const sealed = await sealedData(personal, { name: 'Grace', facts: { born: 1906 } });
    await personal.erase(stream);
    await personal.erase(stream);
    expect(await personal.opened('ws_1', sealed)).toEqual({ name: 'A former guest', facts: null });
    expect(await sealedData(personal, { name: 'Grace' })).toEqual({ name: 'A former guest' });
    expect(await personal.opened('ws_1', `by ${sealed['name']}`)).toBe('by A former guest');
  });

  test('is opened by no process a second after another destroyed the key, without using the vault before', async () => {
    const { vault, personal, process, pass } = scene();
    const other = process();
    const sealed = await sealedData(personal, { name: 'Grace' });
    await other.opened('ws_1', sealed);
    const before = vault.opened;
    for (let n = 0; n < 100; n++) expect(await other.opened('ws_1', sealed)).toEqual({ name: 'Grace' });
    expect(vault.opened).toBe(before);
    await personal.erase(stream);
    pass(1_000);
    expect(await other.opened('ws_1', sealed)).toEqual({ name: 'A former guest' });
    expect(await sealedData(other, { name: 'Grace' })).toEqual({ name: 'A former guest' });
  });

  test('is opened without the vault for as long as a single process runs, until its key is destroyed', async () => {
    const { vault, personal, pass } = scene({ shared: false });
    const sealed = await sealedData(personal, { name: 'Grace' });
    const before = vault.opened;
    pass(3_600_000);
    expect(await personal.opened('ws_1', sealed)).toEqual({ name: 'Grace' });
    expect(vault.opened).toBe(before);
    await personal.erase(stream);
    expect(await personal.opened('ws_1', sealed)).toEqual({ name: 'A former guest' });
  });

  test('of many is opened in one answer, whether or not their keys are in memory', async () => {
    const { personal, process, pass } = scene();
    const names = Array.from({ length: 50 }, (_, at) => `Guest ${at}`);
    const sealed: unknown[] = [];
    for (const [at, name] of names.entries()) {
      sealed.push(await sealedData(personal, { name }, `specGuest-ws_1.guest_${at}`));
    }
    await personal.erase('specGuest-ws_1.guest_7');
    const expected = names.map((name, at) => ({ name: at === 7 ? 'A former guest' : name }));
    const other = process();
    await other.opened('ws_1', sealed.slice(0, 20));
    for (const one of [personal, other, other]) expect(await one.opened('ws_1', sealed)).toEqual(expected);
    pass(1_000);
    expect(await other.opened('ws_1', { sealed, none: ['sealed:1:', 'sealed:1:a/b'] })).toEqual({
      sealed: expected,
      none: ['sealed:1:', 'sealed:1:a/b'],
    });
  });

  test('is sealed under one key if two processes are first at the same time', async () => {
    const { personal, process } = scene();
    const [one, two] = await Promise.all([personal, process()].map((each) => sealedData(each, { name: 'Grace' })));
    expect(one).toEqual(two);
  });
});
