import type { Reply, TestApp } from '../app.js';
import { EgressScene } from '../egress/egress-scene.js';
import type { Seen, TestServer } from '../egress/test-server.js';
import { done } from '../people.js';
import { sharedOutside } from '../shared-outside.js';
import { type SiteVisitors, siteVisitors } from './site-visitors.js';

export interface Outside {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
}

export const everybody = { type: 'public', scope: 'everywhere' };
export const secretValue = 'sk_live_S3cr3t/Value+With=Signs';

/** A site whose proxy calls a server on loopback. All names that end in `.test` lead to that server. */
export class ProxyScene {
  private readonly egress = new EgressScene();
  app!: TestApp;
  server!: TestServer;
  site!: SiteVisitors;
  /** Response of the server. */
  answer: (seen: Seen) => Outside | Promise<Outside> = () => ({ body: 'outside' });

  async start(): Promise<void> {
    this.app = await sharedOutside();
  }

  /** Creates a new site whose proxy everyone may use, and a new server. */
  async begin(): Promise<void> {
    this.answer = () => ({ body: 'outside' });
    this.server = await this.egress.http(async (seen, response) => {
      const { status = 200, headers = {}, body = '' } = await this.answer(seen);
      response.writeHead(status, { ...headers } as Record<string, string>).end(body);
    });
    this.site = await siteVisitors(this.app);
    await this.allow(everybody);
  }

  /** Starts a server that responds when the promise resolves. */
  slow(until: () => Promise<void>): Promise<TestServer> {
    return this.egress.http((_, response) => void until().then(() => response.end('slow')));
  }

  /** Starts a server whose response never ends. */
  endless(): Promise<TestServer> {
    return this.egress.http((_, response) => {
      const piece = Buffer.alloc(64 * 1024, 'x');
      const more = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', more);
      more();
    });
  }

  /** Starts a server that sends exactly this text to every client and closes the connection. */
  raw(text: string): Promise<TestServer> {
    return this.egress.raw((socket) => socket.once('data', () => socket.end(text)));
  }

  end(): Promise<void> {
    return this.egress.close();
  }

  allow(execute: unknown) {
    const accessRules = execute === undefined ? {} : { execute };
    return done(this.app, 'site/setServerProxyAccessRules', { projectId: this.site.projectId, accessRules });
  }

  at(path = '/', host = 'api.test'): string {
    return this.server.url(host, path);
  }

  visitor(body: object = {}, pass?: string, headers: Record<string, string> = {}): Promise<Reply> {
    return this.site.post('proxy', { url: this.at(), ...body }, pass, headers);
  }

  member(body: object = {}, key?: string): Promise<Reply> {
    return this.app.call('site/serverProxy', { projectId: this.site.projectId, url: this.at(), ...body }, key);
  }

  secret(name: string, more: object = {}): Promise<{ readonly id: string }> {
    const { projectId } = this.site;
    return done(this.app, 'site/createEnvVar', {
      projectId,
      name,
      value: secretValue,
      allowedHosts: ['api.test'],
      ...more,
    });
  }

  get last(): Seen | undefined {
    return this.server.seen.at(-1);
  }
}

export const brief = ({ status, body }: Reply) => [status, body.code];
