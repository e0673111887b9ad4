// Benchmarks run this file with Node directly, so it must not import code of the service.
import { connect, type Socket } from 'node:net';
import { setTimeout as takes } from 'node:timers/promises';

/** The service, in this process or another. */
export interface FloodedService {
  readonly url: string;
  call(
    operation: string,
    body: object,
    key: string,
  ): Promise<{
    readonly status: number;
    // biome-ignore lint/suspicious/noExplicitAny: answers of every form.
    readonly body: any;
  }>;
}

/** A site that visitors without an account flood, with a key of its owner. */
export interface FloodedSite {
  readonly key: string;
  readonly projectId: string;
  readonly tableId: string;
  /** Link to a large file. */
  readonly download: string;
}

/** Floods the site until `isOver`. */
type Flood = (service: FloodedService, site: FloodedSite, isOver: () => boolean) => Promise<void>;

const everybody = { type: 'public', scope: 'everywhere' };
const letters = (length: number) => 'a'.repeat(length);
const atOnce = 8;
const mb = 1024 * 1024;
/** Returns a random client address for X-Forwarded-For, which a service behind a proxy trusts. */
const anAddress = () => `203.0.113.${Math.floor(Math.random() * 20)}`;

export async function floodedSite(service: FloodedService, key: string): Promise<FloodedSite> {
  const as = async (operation: string, input: object) => {
    const { status, body } = await service.call(operation, input, key);
    if (status !== 200) throw new Error(`${operation}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  await as('workspace/updateSettings', { versions: false });
  const { id: projectId } = await as('site/createProject', { name: 'Flooded' });
  await as('site/updateProjectAuth', { id: projectId, authEnabled: true });
  await as('site/setEmailAccessRules', { projectId, accessRules: { send: everybody } });
  const { linkedBase } = await as('site/getProject', { id: projectId });
  const fields = [{ name: 'text', type: 'longText' }];
  const { id: tableId } = await as('bases/createTable', { baseId: linkedBase.id, name: 'Reviews', fields });
  await as('bases/setTableAccessRules', { tableId, accessRules: { read: everybody } });
  const rows = Array.from({ length: 20 }, () => ({ text: letters(100_000) }));
  for (let at = 0; at < rows.length; at += 5) await as('bases/createRows', { tableId, rows: rows.slice(at, at + 5) });
  const rules = { execute: everybody };
  const filter = { text: { contains: { $param: 'q' } } };
  const definition = { kind: 'list', table: 'Reviews', filter, fields: [], params: { q: { type: 'string' } } };
  await as('site/createDataFunction', { projectId, name: 'search', definition, accessRules: rules });
  const log = "for (let n = 0; n < 100; n++) console.log('x'.repeat(1000)); return 1";
  await as('site/createBackendFunction', { projectId, name: 'log', code: log, accessRules: rules });
  const files = 'return ctx.files[params.member](params.about);';
  await as('site/createBackendFunction', { projectId, name: 'files', code: files });
  const ctx = async (member: string, about: unknown) =>
    (await as('site/invokeBackendFunction', { projectId, functionName: 'files', params: { member, about } })).data;
  const link = await ctx('getUploadUrl', { name: 'large', contentType: 'text/plain', size: 8 * mb });
  const headers = { 'content-type': 'text/plain' };
  await fetch(`${service.url}${pathOf(link.url)}`, { method: 'PUT', headers, body: Buffer.alloc(8 * mb, 'x') });
  const { url } = await ctx('getUrl', link.id);
  return { key, projectId, tableId, download: pathOf(url) };
}

const pathOf = (link: string) => link.replace(/^https?:\/\/[^/]+/, '');

/** Calls of the owner during a flood: they read, write, read rows and run a function. Each must succeed. */
export const ownersCalls = ({ projectId, tableId }: FloodedSite): readonly (readonly [string, object])[] => [
  ['site/getProject', { id: projectId }],
  ['site/getAppUsers', { projectId }],
  ['bases/listRows', { tableId, limit: 1 }],
  ['site/createPage', { projectId, name: 'P', path: `/p-${crypto.randomUUID()}` }],
  ['automations/createFunction', { name: `F ${crypto.randomUUID()}`, code: `return '${letters(100_000)}'` }],
  ['site/invokeBackendFunction', { projectId, functionName: 'log', params: {} }],
];

/** Ways in which visitors can flood a site without an account. */
export const floods: Readonly<Record<string, Flood>> = {
  'unfinished bodies': opened((site) => headOf(site, 'functions/log', mb), letters(500_000)),
  'unfinished uploads to a webhook': opened(() => `POST /api/automations/functions/webhook/none`, letters(1_000)),
  'slow downloads': opened(({ download }) => `GET ${download}`),
  'half requests': opened(() => 'GET /healthz', undefined, false),
  'sign-ups': repeated((post, n) => post('auth/signup', { email: `u${n}@example.com`, password: 'correct horse' })),
  'wrong passwords': repeated((post, n) =>
    post('auth/login', { email: `u${n % 50}@example.com`, password: 'wrong password' }),
  ),
  'forgotten passwords': repeated((post, n) => post('auth/forgot-password', { email: `u${n % 50}@example.com` })),
  'slow searches': repeated((post) => post('functions/search', { q: `${letters(3_999)}b` })),
  'runs that log': repeated((post) => post('functions/log')),
  'mail to strangers': repeated((post, n) =>
    post('email/send', { to: `u${n}@example.com`, subject: 'x', text: letters(10_000) }),
  ),
};

/** Repeats a request, several at once. Refusals are expected. */
function repeated(
  send: (post: (path: string, body?: object) => Promise<unknown>, n: number) => Promise<unknown>,
): Flood {
  return async ({ url }, { projectId }, isOver) => {
    const post = async (path: string, body: object = {}) => {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': anAddress() };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await fetch(`${url}/api/app/${projectId}/${path}`, init)).text();
    };
    let sent = 0;
    const one = async () => {
      while (!isOver()) {
        await send(post, sent++).catch(() => undefined);
        // Refusals arrive at once. Without this pause, a flood from this process would block the service in it.
        await takes(5);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, one));
  };
}

const headOf = ({ projectId }: FloodedSite, path: string, size: number) =>
  `POST /api/app/${projectId}/${path} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${size}`;

/**
 * Opens connections that begin a request but neither complete it nor read the response. Connections that are closed are
 * opened again.
 */
function opened(lineOf: (site: FloodedSite) => string, body = '', isWhole = true): Flood {
  return async ({ url }, site, isOver) => {
    const { hostname, port } = new URL(url);
    const open = new Set<Socket>();
    const line = lineOf(site);
    const [first = ''] = line.split('\r\n');
    const head = first.includes(' HTTP/1.1') ? line : `${line} HTTP/1.1`;
    while (!isOver()) {
      if (open.size < 4 * atOnce) {
        const socket = connect(Number(port), hostname).on('error', () => undefined);
        socket.on('close', () => open.delete(socket)).pause();
        socket.write(
          `${head}\r\nHost: localhost\r\nX-Forwarded-For: ${anAddress()}\r\n${isWhole ? '\r\n' : ''}${body}`,
        );
        open.add(socket);
      }
      await takes(5);
    }
    for (const socket of open) socket.destroy();
  };
}
