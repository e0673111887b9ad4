import type { TestApp } from '../app.js';

export interface PageReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Path to which the response redirects. */
  readonly location: string | null;
}

/**
 * Acts like a browser without scripts: it stores cookies and submits forms, but does not follow redirects by itself.
 */
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

  /** Submits a form whose body is already encoded. */
  send(path: string, body: string, headers: Record<string, string> = {}): Promise<PageReply> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.request(path, { method: 'POST', body, headers: { ...type, ...headers } });
  }

  /**
   * Signs in with the form of the page. A browser that is signed in already submits the form that it was shown before.
   */
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

  /** Submits the form for this path unchanged, apart from the filled-in fields. */
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

/** Returns the hidden fields of the form for this path. */
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
