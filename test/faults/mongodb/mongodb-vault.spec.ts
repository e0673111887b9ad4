import { randomBytes } from 'node:crypto';
import { MongoVault } from '../../../src/adapters/vault/mongodb/mongo-vault.adapter.js';
import { VaultUnavailable } from '../../../src/ports/vault.port.js';
import { takes } from '../../support/clocks/delays.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import type { Mishap } from '../../support/mongodb/faults.js';
import { type MongoServer, startMongoServer } from '../../support/mongodb/start-mongo-server.js';

describe('the vault, when MongoDB fails it,', () => {
  let server: MongoServer;
  let vault: MongoVault;
  beforeEach(async () => {
    server = await startMongoServer({ members: 2 });
    vault = await MongoVault.open({
      url: server.url,
      patienceMs: 2_000,
      masterKey: randomBytes(32),
      clock: new MadeUpClock(),
    });
  });
  afterEach(async () => {
    server.heal();
    await vault.close();
    await server.close();
  });

  it.each<Mishap>(['drop before', 'drop after', { code: 10_107 }, { code: 91 }])(
    'survives one %p, and recognises its own entry again',
    async (mishap) => {
      server.fault({ on: 'update', collection: 'vault', mishap });
      expect(await vault.seal('a', randomBytes(20), { ifAbsent: true })).toBe(true);
      server.fault({ on: 'find', collection: 'vault', mishap });
      expect(await vault.open('a')).toHaveLength(20);
      server.fault({ on: 'delete', collection: 'vault', mishap });
      await vault.destroy('a');
      expect(await vault.open('a')).toBeUndefined();
    },
  );

  it('continues with the next primary, with all entries', async () => {
    await vault.seal('a', randomBytes(20));
    server.elect(undefined);
    const waiting = vault.seal('b', randomBytes(21));
    // Time without a primary.
    await takes(300);
    server.elect(1);
    expect(await waiting).toBe(true);
    expect(await vault.open('a')).toHaveLength(20);
  });

  it('reads what it has sealed, even if the next primary does not know yet that it was acknowledged', async () => {
    await vault.seal('a', randomBytes(20));
    server.trail('news');
    await vault.seal('a', randomBytes(30));
    await vault.seal('b', randomBytes(40));
    server.elect(1);
    const opened = Promise.all([vault.open('a'), vault.open('b')]);
    await eventually(
      async () => server.waiting,
      (waiting) => waiting === 2,
    );
    server.trail(undefined);
    expect((await opened).map((one) => one?.length)).toEqual([30, 40]);
  });

  it('is unavailable with one sentence while nobody answers, and recovers by itself', async () => {
    server.silence(true);
    for (const ask of [() => vault.seal('a', randomBytes(1)), () => vault.open('a'), () => vault.check()]) {
      const refused = ask();
      await expect(refused).rejects.toThrow(VaultUnavailable);
      await expect(refused).rejects.toThrow('The vault is not available: MongoDB does not answer; check that it runs');
    }
    server.silence(false);
    const isBack = () =>
      vault.check().then(
        () => true,
        () => false,
      );
    expect(await eventually(isBack, (back) => back)).toBe(true);
  });

  it('does not acknowledge what a majority has not written', async () => {
    server.fault({ on: 'update', collection: 'vault', mishap: { writeConcernCode: 64 } });
    await expect(vault.seal('a', randomBytes(20))).rejects.toThrow(
      'The vault is not available: MongoDB did not finish in time',
    );
  });

  it('cannot be opened while nobody answers', async () => {
    server.silence(true);
    const options = { url: server.url, patienceMs: 300, masterKey: randomBytes(32), clock: new MadeUpClock() };
    await expect(MongoVault.open(options)).rejects.toThrow(VaultUnavailable);
  });
});
