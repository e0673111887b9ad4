import { type IncomingHttpHeaders, request } from 'node:http';

export interface SiteReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every form.
  readonly body: any;
}

export interface SiteRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Sends requests to a site's host like a browser: with the Host header, unchanged paths, and the cookies of this host.
 */
export class SiteClient {
  readonly cookies = new Map<string, string>();

  constructor(
    private readonly app: { readonly url: string },
    readonly host: string,
  ) {}

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<SiteReply> {
    return this.send(path, { headers });
  }

  /** Sends JSON as a page of the site does. */
  post(path: string, body: unknown = {}, headers: Readonly<Record<string, string>> = {}): Promise<SiteReply> {
    const own = { 'content-type': 'application/json', origin: `http://${this.host}`, 'sec-fetch-site': 'same-origin' };
    return this.send(path, { method: 'POST', body: JSON.stringify(body), headers: { ...own, ...headers } });
  }

  async send(path: string, { method = 'GET', headers = {}, body }: SiteRequest = {}): Promise<SiteReply> {
    const { hostname, port } = new URL(this.app.url);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = { host: this.host, ...(cookie === '' ? {} : { cookie }), ...headers };
    const reply = await new Promise<SiteReply>((resolve, reject) => {
      const asked = request({ hostname, port, path, method, headers: sent, agent: false }, (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('error', reject);
        answer.on('end', () => resolve(replyOf(answer.statusCode ?? 0, answer.headers, Buffer.concat(pieces))));
      });
      asked.on('error', reject);
      asked.end(body);
    });
    for (const line of reply.headers['set-cookie'] ?? []) this.keep(line);
    return reply;
  }

  private keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/max-age=0/i.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

function replyOf(status: number, headers: IncomingHttpHeaders, bytes: Buffer): SiteReply {
  const text = bytes.toString();
  const isJson = /[/+]json\b/.test(headers['content-type'] ?? '');
  return { status, headers, bytes, text, body: isJson && text !== '' ? JSON.parse(text) : undefined };
}
