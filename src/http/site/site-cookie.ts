import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { Clock } from '../../ports/clock.port.js';
import { PageCookie } from '../pages/page-cookie.js';

/**
 * The session of a site's visitor on the site's own host (settled question Q-S33): of that host alone, and over TLS with a
 * name that no other host of the domain can set.
 */
@Injectable()
export class SiteCookie {
  private readonly cookie: PageCookie;

  constructor(
    environment: Environment,
    private readonly clock: Clock,
  ) {
    this.cookie = new PageCookie(environment, { name: 'site_pass', sameSite: 'Lax' });
  }

  /** The token in a Cookie header. */
  in(cookies: string | undefined): string | undefined {
    return this.cookie.in(cookies);
  }

  /** Set-Cookie, for as long as the session lasts. */
  of({ token, expiresAt }: { readonly token: string; readonly expiresAt: string }): string {
    const lastsSeconds = Math.max(0, Math.floor((Date.parse(expiresAt) - this.clock.now()) / 1_000));
    return this.cookie.of(token, lastsSeconds);
  }

  /** The Set-Cookie header that removes it. */
  none(): string {
    return this.cookie.none();
  }

  /** A Cookie header without it: what code may see. Undefined: nothing is left. */
  leftOf(cookies: string | undefined): string | undefined {
    return this.cookie.leftOf(cookies);
  }
}
