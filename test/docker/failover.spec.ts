import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { readEnvironment } from '../../src/config/environment.js';
import { startApp, type TestApp } from '../support/app.js';
import { compose, serviceNamed, settingsOf } from './compose-file.js';

const folder = join(import.meta.dirname, '../../docker/failover');
const script = readFileSync(join(folder, 'run.sh'), 'utf8');
const setTo = (variable: string) => new RegExp(`^${variable}=(.*)$`, 'm').exec(script)?.[1] ?? '';
const members = ['mongodb', 'mongodb-2', 'mongodb-3'];

describe('the profile with three members of MongoDB', () => {
  it('has two more members like the first, each with its own data, and only on request', () => {
    const profiles = members.map((name) => (serviceNamed(name) as { readonly profiles?: unknown }).profiles);
    expect(profiles).toEqual([undefined, [setTo('COMPOSE_PROFILES')], [setTo('COMPOSE_PROFILES')]]);
    const alike = members.map((name) => {
      const { image, user, networks, ports } = serviceNamed(name);
      return { image, user, networks, ports };
    });
    expect(new Set(alike.map((one) => JSON.stringify(one))).size).toBe(1);
    const data = members.map((name) => serviceNamed(name).volumes?.[0]);
    expect(data).toEqual(members.map((name) => `${name}-data:/data/db`));
  });

  it('is passed to the service as its MongoDB hosts', () => {
    const given = {
      MASTER_KEY: 'ab'.repeat(32),
      BOOTSTRAP_OWNER_KEY: 'csk_0123456789abcdef01234567',
      MONGODB_HOSTS: setTo('MONGODB_HOSTS'),
    };
    const { readStore } = readEnvironment(settingsOf('api', given));
    const hosts = members.map((name) => `${name}:27017`).join(',');
    expect(readStore).toMatchObject({ kind: 'mongodb', url: `mongodb://${hosts}/?replicaSet=rs0` });
  });

  it.each([0, 2])('adds the other members to the set, also while a change of it is in progress (%d times)', (busy) => {
    const config = [{ host: 'mongodb:27017' }];
    const asked: string[] = [];
    let refusals = busy;
    let looks = 0;
    runInNewContext(readFileSync(join(folder, 'members.js'), 'utf8'), {
      rs: {
        conf: () => ({ members: config }),
        add(host: string) {
          asked.push(host);
          refusals -= 1;
          if (refusals >= 0) throw Object.assign(new Error('no'), { codeName: 'CurrentConfigNotCommittedYet' });
          config.push({ host });
        },
        status() {
          looks += 1;
          return { members: [{ state: 1 }, { state: 2 }, { state: looks > 2 ? 2 : 5 }] };
        },
      },
      sleep: () => undefined,
    });
    expect(config.map(({ host }) => host)).toEqual(members.map((name) => `${name}:27017`));
    expect([asked.length, looks]).toEqual([2 + busy, 3]);
  });
});

describe('the script that removes the primary', () => {
  it('is valid shell, and names existing services and files', () => {
    execFileSync('bash', ['-n', join(folder, 'run.sh')]);
    const named = /docker compose up [^\n]*--wait ([\w =-]+)\n/g;
    const started = [...script.matchAll(named)].flatMap(([, names]) => (names ?? '').split(' '));
    const services = started.filter((word) => !/[-]{2}|=/.test(word));
    expect(services).toHaveLength(7);
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(services));
    expect(script).toContain('< failover/load.mjs');
    expect(script).toContain('cat failover/members.js');
  });
});

describe('the load of the failover script', () => {
  const key = 'csk_0123456789abcdef01234567';
  const load = (port: string) =>
    new Promise<{ readonly code: unknown; readonly out: string; readonly told: string }>((resolve) => {
      const env = { ...process.env, PORT: port, LOAD_SECONDS: '0.3', LOAD_CALLERS: '3', BOOTSTRAP_OWNER_KEY: key };
      execFile(process.execPath, [join(folder, 'load.mjs')], { env }, (error, out, told) =>
        resolve({ code: error?.code ?? 0, out, told }),
      );
    });

  it('finds everything that the service has accepted', async () => {
    const app: TestApp = await startApp({ ownerKey: key, environment: { BOOTSTRAP_OWNER_KEY: key } });
    try {
      const { code, out, told } = await load(new URL(app.url).port);
      expect({ code, told }).toEqual({ code: 0, told: '' });
      const counted = JSON.parse(out);
      expect(counted).toMatchObject({ wrong: 0 });
      expect(counted.accepted).toBeGreaterThan(0);
    } finally {
      await app.close();
    }
  });

  it('fails if something accepted is missing or a call fails for good, but not if it must be repeated', async () => {
    let asked = 0;
    let lost = true;
    const server = createServer((request, response) => {
      asked += 1;
      const isRead = request.url?.endsWith('getFunction') ?? false;
      const status = asked % 3 === 0 ? 503 : 200;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ id: 'fn_1', description: isRead && !lost ? '1000000' : '0', code: 'busy' }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const port = String((server.address() as AddressInfo).port);
    const first = await load(port);
    expect([first.code, first.told]).toEqual([1, expect.stringContaining('after 1 was accepted')]);
    lost = false;
    const second = await load(port);
    expect([second.code, JSON.parse(second.out).tryAgain > 0]).toEqual([0, true]);
    server.close();
  });
});
