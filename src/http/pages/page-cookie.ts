import type { Environment } from '../../config/environment.js';

/** The names of all cookies that the service sets. */
const names = [
  'countersign',
  'countersign-form',
  'site-form',
  'site_entry',
  'site_member',
  'site_pass',
  'site_sign_in',
] as const;

interface Kind {
  readonly name: (typeof names)[number];
  /** In seconds. If omitted, the cookie lasts until the browser is closed. */
  readonly lastsSeconds?: number;
  readonly sameSite: 'Lax' | 'Strict';
}

export class PageCookie {
  private readonly name: string;
  private readonly attributes: string;
  private readonly maxAge: string;

  constructor({ baseUrl }: Environment, { name, lastsSeconds, sameSite }: Kind) {
    const isHttps = baseUrl.startsWith('https:');
    // Browsers accept a cookie with the prefix `__Host-` only over TLS and only from this host itself.
    this.name = isHttps ? `__Host-${name}` : name;
    this.attributes = `HttpOnly; SameSite=${sameSite}${isHttps ? '; Secure' : ''}`;
    this.maxAge = lastsSeconds === undefined ? '' : maxAgeOf(lastsSeconds);
  }

  headerFor(token: string, lastsSeconds?: number): string {
    const maxAge = lastsSeconds === undefined ? this.maxAge : maxAgeOf(lastsSeconds);
    return `${this.name}=${token}; Path=/; ${maxAge}${this.attributes}`;
  }

  none(): string {
    return `${this.name}=; Path=/; Max-Age=0; ${this.attributes}`;
  }

  tokenIn(cookies: string | undefined): string | undefined {
    for (const pair of (cookies ?? '').split(';')) {
      const [name, value = ''] = pair.trim().split('=');
      if (name === this.name && /^[A-Za-z0-9_-]{32}$/.test(value)) return value;
    }
    return undefined;
  }
}

const own: ReadonlySet<string> = new Set(names.flatMap((name) => [name, `__Host-${name}`]));

/**
 * Removes the service's own cookies from a Cookie header before it is passed to a function. A webhook can be called on
 * the host on which the approval pages set their session cookie, and functions must not see sessions.
 */
export function withoutOwnCookies(cookies: string): string | undefined {
  const others = cookies.split(';').filter((pair) => !own.has(pair.split('=')[0]?.trim() ?? ''));
  return others.join(';').trim() || undefined;
}

const maxAgeOf = (seconds: number): string => `Max-Age=${seconds}; `;
