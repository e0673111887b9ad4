import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { HttpEgress } from '../../../src/adapters/egress/http/http-egress.adapter.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import { Egress } from '../../../src/ports/network/egress.port.js';
import { startApp, type TestApp } from '../app.js';
import { Authority } from '../egress/certificates.js';
import { resolverOf } from '../egress/egress-scene.js';
import type { RealGit } from './real-git.js';

/** Responds to a request in place of the server. Returns whether it did. Until then, the server does not respond. */
export type Instead = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

interface HostedRow {
  readonly name: string;
  readonly isPrivate: boolean;
  readonly description: string | null;
}

const authority = new Authority('Git host');
const host = 'git.test';
const perPage = 100;

/**
 * A git host for clients that send the token: `git http-backend` behind TLS, and those parts of GitHub's REST API below
 * /user and /repos that the service uses. Repositories are in a folder of `git`, below `owner`.
 */
export class GitServer {
  readonly token = 'ghp_0123456789abcdef';
  readonly owner = 'ada';
  /** Paths and authorization headers of all requests. */
  readonly seen: { readonly path: string; readonly authorization: string | undefined }[] = [];
  instead: Instead = () => false;
  private readonly repositories = new Map<string, Pick<HostedRow, 'isPrivate' | 'description'>>();
  private readonly server: Server;

  constructor(private readonly git: RealGit) {
    this.server = createServer(authority.issue({ hosts: [host] }), (request, response) => {
      this.answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
  }

  private async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  /** Starts this server, and a service whose git host it is. */
  async startApp(): Promise<TestApp> {
    await this.start();
    return await startApp({
      environment: { GIT_HOST_API_URL: this.apiUrl },
      replacements: [{ provide: Egress, useValue: this.egress() }],
    });
  }

  get origin(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('The git server does not listen.');
    return `https://${host}:${address.port}`;
  }

  get apiUrl(): string {
    return `${this.origin}/api/v3`;
  }

  /** Returns an egress that can reach only this server, and trusts its certificate. */
  egress(): HttpEgress {
    return new HttpEgress({ clock: new SystemClock(), allow: ['127.0.0.1'], ca: [authority.cert], ...resolverOf() });
  }

  /** Creates an empty bare repository. Returns its URL, and its folder for `git`. */
  create(
    name: string,
    { isPrivate = true, description = null }: Partial<HostedRow> = {},
  ): { readonly url: string; readonly folder: string } {
    const folder = this.folderOf(name);
    mkdirSync(join(this.git.home, folder), { recursive: true });
    this.git.init(folder, '--bare');
    this.git.run(folder, ['config', 'uploadpack.allowReachableSHA1InWant', 'false']);
    this.repositories.set(name, { isPrivate, description });
    return { url: `${this.origin}/${this.owner}/${name}.git`, folder };
  }

  /** Creates the next repository that a client asks for, and breaks off instead of answering. */
  loseNextCreation(): void {
    this.instead = async (request) => {
      if (request.method !== 'POST' || request.url !== '/api/v3/user/repos') return false;
      this.instead = () => false;
      const { name, ...requested } = await requestedIn(request);
      this.create(name, requested);
      return Boolean(request.socket.destroy());
    };
  }

  folderOf(name: string): string {
    return `hosted/${this.owner}/${name}.git`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '/', headers } = request;
    this.seen.push({ path, authorization: headers.authorization });
    if (await this.instead(request, response)) return;
    if (path.startsWith('/api/v3/')) return await this.rest(request, response, new URL(path, this.origin));
    const basic = `Basic ${Buffer.from(`x-access-token:${this.token}`).toString('base64')}`;
    if (headers.authorization !== basic) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    await this.backend(request, response, new URL(path, this.origin));
  }

  private async rest(request: IncomingMessage, response: ServerResponse, { pathname, searchParams }: URL) {
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
    };
    if (request.headers.authorization !== `Bearer ${this.token}`) return send(401, { message: 'Bad credentials' });
    if (request.headers['x-github-api-version'] !== '2022-11-28') return send(400, { message: 'No version' });
    const path = pathname.slice('/api/v3'.length);
    if (path === '/user/repos' && request.method === 'GET') {
      const page = Number(searchParams.get('page') ?? 1);
      const all = [...this.repositories.keys()].sort().map((name) => this.shown(name));
      return send(200, all.slice((page - 1) * perPage, page * perPage));
    }
    if (path === '/user/repos' && request.method === 'POST') {
      const { name, ...requested } = await requestedIn(request);
      if (this.repositories.has(name)) {
        const errors = [{ resource: 'Repository', code: 'custom', field: 'name', message: 'name already exists' }];
        return send(422, { message: 'Repository creation failed.', errors });
      }
      this.create(name, requested);
      return send(201, this.shown(name));
    }
    if (path === '/user') return send(200, { login: this.owner, id: 1, type: 'User' });
    const [, owner, name = ''] = /^\/repos\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
    if (owner === this.owner && this.repositories.has(name)) return send(200, this.shown(name));
    return send(404, { message: 'Not Found' });
  }

  private shown(name: string) {
    const { isPrivate = true, description = null } = this.repositories.get(name) ?? {};
    return {
      id: 1,
      name,
      full_name: `${this.owner}/${name}`,
      owner: { login: this.owner, id: 1, type: 'User' },
      private: isPrivate,
      description,
      html_url: `${this.origin}/${this.owner}/${name}`,
      clone_url: `${this.origin}/${this.owner}/${name}.git`,
      default_branch: 'main',
    };
  }

  private async backend(request: IncomingMessage, response: ServerResponse, { pathname, search }: URL) {
    if (!existsSync(join(this.git.home, 'hosted', pathname.split('.git')[0] ?? '').concat('.git'))) {
      response.writeHead(404).end();
      return;
    }
    const body = await buffer(request);
    const child = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'],
        HOME: this.git.home,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_PROJECT_ROOT: join(this.git.home, 'hosted'),
        GIT_HTTP_EXPORT_ALL: '1',
        REMOTE_USER: this.owner,
        REQUEST_METHOD: request.method,
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        CONTENT_LENGTH: String(body.length),
      },
    });
    child.stdin.on('error', () => undefined).end(body);
    const answer = await buffer(child.stdout);
    const end = answer.indexOf('\r\n\r\n');
    const headers = answer
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => line.split(/:\s*/, 2) as [string, string]);
    const status = headers.find(([name]) => name.toLowerCase() === 'status')?.[1];
    for (const [name, value] of headers) if (name.toLowerCase() !== 'status') response.setHeader(name, value);
    response.writeHead(Number.parseInt(status ?? '200', 10)).end(answer.subarray(end + 4));
  }
}

async function requestedIn(request: IncomingMessage): Promise<HostedRow> {
  const { name, private: isPrivate = false, description = null } = JSON.parse((await buffer(request)).toString());
  return { name, isPrivate, description };
}
