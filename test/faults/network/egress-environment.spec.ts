import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Authority } from '../../support/egress/certificates.js';
import { EgressScene } from '../../support/egress/egress-scene.js';

const scene = new EgressScene();
afterEach(() => scene.close());

/** Runs the built adapter in a process of its own, because Node reads these variables at its start. */
async function outcomes(environment: Readonly<Record<string, string>>, urls: readonly string[]): Promise<unknown> {
  const from = (path: string) => JSON.stringify(new URL(`../../../dist/src/adapters/${path}`, import.meta.url).href);
  const program = `
    const { HttpEgress } = await import(${from('egress/http/http-egress.adapter.js')});
    const { SystemClock } = await import(${from('system/system-clock.adapter.js')});
    const egress = new HttpEgress({ clock: new SystemClock(), allow: ['127.0.0.1'] });
    const told = [];
    for (const url of ${JSON.stringify(urls)})
      told.push(await egress.send({ method: 'GET', url, headers: [] }).then((answer) => Buffer.from(answer.body).toString(), (error) => error.kind));
    console.log(JSON.stringify(told));`;
  const options = { env: environment, cwd: fileURLToPath(new URL('../../..', import.meta.url)) };
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], options);
  child.stderr.resume();
  return JSON.parse(await text(child.stdout));
}

describe('egress over http, the environment', () => {
  it('does not affect certificates, proxies or the strictness of parsing', async () => {
    const proxy = await scene.http((_, response) => response.end('proxy'));
    const plain = await scene.http((_, response) => response.end('plain'));
    const tls = new Authority('Not trusted').issue({ hosts: ['127.0.0.1'] });
    const secure = await scene.http((_, response) => response.end('secure'), { tls });
    const lenient = await scene.raw((socket) => {
      socket.once('data', () =>
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
      );
    });
    const proxies = {
      HTTP_PROXY: proxy.url(),
      http_proxy: proxy.url(),
      HTTPS_PROXY: proxy.url(),
      ALL_PROXY: proxy.url(),
    };
    const environment = {
      ...proxies,
      NODE_USE_ENV_PROXY: '1',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      NODE_OPTIONS: '--insecure-http-parser',
    };
    const urls = [plain.url(), secure.url('127.0.0.1', '/', 'https'), lenient.url()];
    expect(await outcomes(environment, urls)).toEqual(['plain', 'tls', 'protocol']);
    expect(proxy.connections).toBe(0);
  });
});
