import type { Environment } from '../../config/environment.js';

interface Kind {
  readonly name: string;
  /** Default: until the browser closes. */
  readonly lastsSeconds?: number;
  readonly sameSite: 'Lax' | 'Strict';
}

/** A cookie with a random token that scripts cannot read. */
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

  /** Set-Cookie. `lastsSeconds`: in the place of what its kind says. */
  of(token: string, lastsSeconds?: number): string {
    const maxAge = lastsSeconds === undefined ? this.maxAge : maxAgeOf(lastsSeconds);
    return `${this.name}=${token}; Path=/; ${maxAge}${this.attributes}`;
  }

  /** The Set-Cookie header that removes it. */
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

  /** A Cookie header without it. Undefined: nothing is left. */
  leftOf(cookies: string | undefined): string | undefined {
    const others = (cookies ?? '').split(';').filter((pair) => pair.trim().split('=')[0] !== this.name);
    return others.join(';').trim() || undefined;
  }
}

const maxAgeOf = (seconds: number): string => `Max-Age=${seconds}; `;
