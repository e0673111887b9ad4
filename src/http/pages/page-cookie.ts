import type { Environment } from '../../config/environment.js';

interface Kind {
  readonly name: string;
  /** Lifetime in seconds. Default: until the browser is closed. */
  readonly lastsSeconds?: number;
  readonly sameSite: 'Lax' | 'Strict';
}

/** A cookie with a random token, which scripts cannot read. */
export class PageCookie {
  private readonly name: string;
  private readonly attributes: string;
  private readonly maxAge: string;

  constructor({ baseUrl }: Environment, { name, lastsSeconds, sameSite }: Kind) {
    const isHttps = baseUrl.startsWith('https:');
    // With this prefix, browsers accept the cookie only from this host and only over TLS.
    this.name = isHttps ? `__Host-${name}` : name;
    this.attributes = `HttpOnly; SameSite=${sameSite}${isHttps ? '; Secure' : ''}`;
    this.maxAge = lastsSeconds === undefined ? '' : maxAgeOf(lastsSeconds);
  }

  /** Returns the Set-Cookie header. `lastsSeconds` overrides the cookie's usual lifetime. */
  of(token: string, lastsSeconds?: number): string {
    const maxAge = lastsSeconds === undefined ? this.maxAge : maxAgeOf(lastsSeconds);
    return `${this.name}=${token}; Path=/; ${maxAge}${this.attributes}`;
  }

  /** Returns the Set-Cookie header that removes the cookie. */
  none(): string {
    return `${this.name}=; Path=/; Max-Age=0; ${this.attributes}`;
  }

  /** Returns the token from a Cookie header. */
  in(cookies: string | undefined): string | undefined {
    for (const pair of (cookies ?? '').split(';')) {
      const [name, value = ''] = pair.trim().split('=');
      if (name === this.name && /^[A-Za-z0-9_-]{32}$/.test(value)) return value;
    }
    return undefined;
  }

  /** Returns a Cookie header without this cookie, or undefined if nothing else is in it. */
  leftOf(cookies: string | undefined): string | undefined {
    const others = (cookies ?? '').split(';').filter((pair) => pair.trim().split('=')[0] !== this.name);
    return others.join(';').trim() || undefined;
  }
}

const maxAgeOf = (seconds: number): string => `Max-Age=${seconds}; `;
