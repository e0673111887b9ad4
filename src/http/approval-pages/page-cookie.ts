import type { Environment } from '../../config/environment.js';

interface Kind {
  readonly name: string;
  /** Left out: until the browser closes. */
  readonly lastsSeconds?: number;
  readonly sameSite: 'Lax' | 'Strict';
}

/** A cookie that holds a random token which no script sees. */
export class PageCookie {
  private readonly name: string;
  private readonly attributes: string;
  private readonly maxAge: string;

  constructor({ baseUrl }: Environment, { name, lastsSeconds, sameSite }: Kind) {
    const isHttps = baseUrl.startsWith('https:');
    // With the prefix, a browser takes the cookie from this host alone and over TLS alone.
    this.name = isHttps ? `__Host-${name}` : name;
    this.attributes = `HttpOnly; SameSite=${sameSite}${isHttps ? '; Secure' : ''}`;
    this.maxAge = lastsSeconds === undefined ? '' : `Max-Age=${lastsSeconds}; `;
  }

  /** Set-Cookie. */
  of(token: string): string {
    return `${this.name}=${token}; Path=/; ${this.maxAge}${this.attributes}`;
  }

  /** Set-Cookie that takes it away. */
  none(): string {
    return `${this.name}=; Path=/; Max-Age=0; ${this.attributes}`;
  }

  /** The token in a Cookie header. */
  in(cookies: string | undefined): string | undefined {
    for (const pair of (cookies ?? '').split(';')) {
      const [name, value = ''] = pair.trim().split('=');
      if (name === this.name && /^[A-Za-z0-9_-]{32}$/.test(value)) return value;
    }
    return undefined;
  }
}
