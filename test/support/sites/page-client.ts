import type { TestApp } from '../app.js';

export interface PageReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Where it leads, as a path. */
  readonly location: string | null;
}

/** What a browser without scripts does: keeps cookies, fills in forms, follows nothing by itself. */
export class PageClient {
  cookies = new Map<string, string>();

  constructor(
    private readonly app: Pick<TestApp, 'url'>,
    private readonly always: Record<string, string> = {},
  ) {}

  get(path: string, headers: Record<string, string> = {}): Promise<PageReply> {
    return this.request(path, { headers });
  }

  post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<PageReply> {
    return this.send(path, new URLSearchParams(fields).toString(), headers);
  }

  /** A form, as it is written. */
  send(path: string, body: string, headers: Record<string, string> = {}): Promise<PageReply> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.request(path, { method: 'POST', body, headers: { ...type, ...headers } });
  }

  /** By the form of the page; a browser that is signed in sends one that it was shown before. */
  async signIn(key: string, next = '/approvals'): Promise<PageReply> {
    return this.post('/approvals/sign-in', { token: await this.signInToken(), key, next });
  }

  async signInToken(): Promise<string> {
    const cookies = this.cookies;
    const anybody = new PageClient(this.app, this.always);
    for (const [name, value] of cookies) if (name.endsWith('-form')) anybody.cookies.set(name, value);
    const { text } = await anybody.get('/approvals/sign-in');
    this.cookies = new Map([...cookies, ...anybody.cookies]);
    return /<input type="hidden" name="token" value="([^"]+)">/.exec(text)?.[1] ?? '';
  }

  /** Sends the page's form to this path as it stands, with what is filled in. */
  async submit(page: string, action: string, filledIn: Record<string, string> = {}): Promise<PageReply> {
    return this.post(action, { ...fieldsOf((await this.get(page)).text, action), ...filledIn });
  }

  private async request(path: string, init: RequestInit & { headers: Record<string, string> }): Promise<PageReply> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...this.always, ...(cookie === '' ? {} : { cookie }), ...init.headers };
    const response = await fetch(`${this.app.url}${path}`, { redirect: 'manual', ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const { status } = response;
    return {
      status,
      headers: response.headers,
      text: await response.text(),
      location: response.headers.get('location'),
    };
  }
}

/** The hidden fields of the form that is sent to this path. */
export function fieldsOf(page: string, action: string): Record<string, string> {
  const form = new RegExp(`<form [^>]*action="${action.replaceAll('.', '\\.')}"[^>]*>([\\s\\S]*?)</form>`).exec(
    page,
  )?.[1];
  if (form === undefined) throw new Error(`There is no form for ${action} on the page.`);
  return Object.fromEntries(
    [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
}
