import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInNewContext } from 'node:vm';
import { serviceNamed } from './compose-file.js';
import { healthCheck } from './dockerfile.js';

const checks: readonly (readonly [string, string, readonly string[]])[] = [
  ['the image', '/healthz', healthCheck()],
  ['the api', '/readyz', serviceNamed('api').healthcheck?.test.slice(1) ?? []],
  ['the worker', '/readyz', serviceNamed('worker').healthcheck?.test.slice(1) ?? []],
];

describe.each(checks)('health check of %s', (_of, path, [, ...args]) => {
  let status = 200;
  let asked: string | undefined;
  let server: Server;
  beforeEach(async () => {
    server = createServer((request, response) => {
      asked = request.url;
      response.writeHead(status).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => server.close());

  /** Runs the check in Node. Returns its exit code. */
  const ask = (port: number) =>
    new Promise<number | null>((resolve) => {
      const child = execFile(process.execPath, [...args], { env: { PORT: String(port) } });
      child.on('close', resolve);
    });

  it(`requests ${path} on PORT, and accepts only status 200`, async () => {
    const { port } = server.address() as AddressInfo;
    status = 200;
    expect(await ask(port)).toBe(0);
    expect(asked).toBe(path);
    status = 503;
    expect(await ask(port)).toBe(1);
  });

  it('fails if nothing listens', async () => {
    const { port } = server.address() as AddressInfo;
    server.close();
    expect(await ask(port)).toBe(1);
  });
});

describe('health check of MongoDB', () => {
  /** Runs the check on a simulated node. Returns its exit code and the replica sets that it initiated. */
  function check(node: { readonly failsWith?: string; readonly primary: boolean }) {
    const initiated: unknown[] = [];
    let code: number | undefined;
    runInNewContext(serviceNamed('mongodb').healthcheck?.test.at(-1) ?? '', {
      rs: {
        status: () => {
          if (node.failsWith !== undefined) throw Object.assign(new Error('no'), { codeName: node.failsWith });
        },
        initiate: (config: unknown) => initiated.push(structuredClone(config)),
      },
      db: { hello: () => ({ isWritablePrimary: node.primary }) },
      quit: (given: number) => {
        code = given;
      },
    });
    return { code, initiated };
  }

  it('initiates a set on a node that is in none, with the host name that others use', () => {
    const { code, initiated } = check({ failsWith: 'NotYetInitialized', primary: false });
    expect(initiated).toEqual([{ _id: 'rs0', members: [{ _id: 0, host: 'mongodb:27017' }] }]);
    expect(code).toBe(1);
  });

  it('leaves an existing set as it is, and is healthy once there is a primary', () => {
    expect(check({ primary: false })).toEqual({ code: 1, initiated: [] });
    expect(check({ primary: true })).toEqual({ code: 0, initiated: [] });
  });

  it('initiates no set if the state is unknown', () => {
    expect(() => check({ failsWith: 'Unauthorized', primary: false })).toThrow('no');
  });
});
