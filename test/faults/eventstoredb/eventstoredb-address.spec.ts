import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { EventStoreDbEventStore } from '../../../src/adapters/event-store/eventstoredb/eventstoredb-event-store.adapter.js';
import { EventStoreUnavailable } from '../../../src/ports/event-store.port.js';
import { Scene } from '../../contracts/event-store/event-store-scene.js';
import { EventStoreDbTestServer } from '../../support/eventstoredb/test-server.js';
import { TransactionLog } from '../../support/eventstoredb/transaction-log.js';

const secret = 'pa55';

describe('the address of EventStoreDB', () => {
  const servers: EventStoreDbTestServer[] = [];
  const start = async (log = new TransactionLog(), tls?: { readonly key: Buffer; readonly certificate: Buffer }) => {
    const server = await new EventStoreDbTestServer(log, tls).start();
    servers.push(server);
    return server;
  };
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });

  async function used(url: string): Promise<void> {
    const store = new EventStoreDbEventStore({ url, deadlineMs: 3_000 });
    const scene = new Scene();
    try {
      expect(await store.append([scene.request('a', 'none')])).toMatchObject([{ revision: 0 }]);
      expect(await store.readStream(scene.stream('a'))).toHaveLength(1);
    } finally {
      await store.close();
    }
  }

  it('may be KurrentDB’s own', async () => {
    const server = await start();
    await used(server.url.replace('esdb:', 'kurrentdb:'));
  });

  it('may name a cluster, which is asked for its leader', async () => {
    const log = new TransactionLog();
    const [leader, follower] = [await start(log), await start(log)];
    follower.faults.leader = { host: '127.0.0.1', port: leader.port };
    await used(`esdb+discover://127.0.0.1:${follower.port}?tls=false`);
    await used(`esdb://127.0.0.1:${follower.port},127.0.0.1:${leader.port}?tls=false`);
    expect(follower.calls).toEqual(expect.arrayContaining(['gossip']));
    expect(leader.calls).toEqual(expect.arrayContaining(['batch append', 'read']));
  });

  it('may name a cluster of which no node answers', async () => {
    const store = new EventStoreDbEventStore({ url: `esdb+discover://user:${secret}@127.0.0.1:9?tls=false` });
    const error = await store.check().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(EventStoreUnavailable);
    expect(String(error)).toMatch(/no node of the cluster/);
    expect(JSON.stringify([error, String(error), (error as Error).cause])).not.toContain(secret);
    await store.close();
  });

  it.each([
    ['another scheme', `http://user:${secret}@host`],
    ['an option that does not exist', `esdb://user:${secret}@host?retries=3`],
    ['an option with a value that is none', `esdb://user:${secret}@host?tls=perhaps`],
    ['a certificate that may be wrong', `esdb://user:${secret}@host?tlsVerifyCert=false`],
    ['a certificate file that is not there', `esdb://user:${secret}@host?tlsCAFile=/nowhere/ca.pem`],
    ['a port that is none', `esdb://user:${secret}@host:${secret}`],
    ['a password that would be cut off', `esdb://user:${secret}:${secret}@host`],
    ['no password', `esdb://${secret}@host`],
    ['no host', `esdb://user:${secret}@`],
  ])('is refused with %s, and not shown', (_, url) => {
    const said: unknown[] = [];
    const ears = (['log', 'warn', 'error'] as const).map((name) =>
      jest.spyOn(console, name).mockImplementation((...words) => said.push(...words)),
    );
    const open = () => new EventStoreDbEventStore({ url });
    expect(open).toThrow(/^The address of EventStoreDB cannot be used: [^.]+(\.pem)?\.$/);
    try {
      open();
    } catch (error) {
      expect(JSON.stringify([said, String(error), error, (error as Error).cause])).not.toContain(secret);
    }
    for (const ear of ears) ear.mockRestore();
  });

  describe('with TLS', () => {
    let directory: string;
    beforeEach(() => {
      directory = mkdtempSync(join(tmpdir(), 'countersign-tls-'));
    });
    afterEach(() => rmSync(directory, { recursive: true }));

    const openssl = hasOpenSsl() ? it : it.skip;

    openssl('brings the user to the server, and only to the one the authority vouches for', async () => {
      const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')];
      const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
      const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-keyout', key, '-out', certificate];
      execFileSync('openssl', [...made, ...subject], { stdio: 'ignore' });
      const server = await start(new TransactionLog(), {
        key: readFileSync(key),
        certificate: readFileSync(certificate),
      });
      const address = `esdb://admin:${secret}%40@127.0.0.1:${server.port}`;
      await used(`${address}?tlsCAFile=${encodeURIComponent(certificate)}`);
      expect([...server.authorizations]).toEqual([`Basic ${Buffer.from(`admin:${secret}@`).toString('base64')}`]);
      const stranger = new EventStoreDbEventStore({ url: address });
      const error = await stranger.check().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(EventStoreUnavailable);
      expect(String(error)).toMatch(/not secured as expected/);
      await stranger.close();
    });
  });
});

function hasOpenSsl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
