import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { Clock } from '../../ports/clock.port.js';
import { PageCookie } from '../pages/page-cookie.js';

/**
 * The session cookie of visitors on the site's own host. It is valid only on that host. Over TLS, its name has the
 * prefix `__Host-`, so other hosts of the same domain cannot set it (settled question Q-S33).
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

  /** Returns the session token in a Cookie header, or undefined. */
  tokenIn(cookies: string | undefined): string | undefined {
    return this.cookie.tokenIn(cookies);
  }

  /** Returns the Set-Cookie header of a session. The cookie lasts as long as the session. */
  headerFor({ token, expiresAt }: { readonly token: string; readonly expiresAt: string }): string {
    const lastsSeconds = Math.max(0, Math.floor((Date.parse(expiresAt) - this.clock.now()) / 1_000));
    return this.cookie.headerFor(token, lastsSeconds);
  }

  /** Returns the Set-Cookie header that deletes the cookie. */
  none(): string {
    return this.cookie.none();
  }

  /**
   * Returns the Cookie header without this cookie, for functions, which must not see it. Returns undefined if there is
   * no other cookie.
   */
  leftOf(cookies: string | undefined): string | undefined {
    return this.cookie.leftOf(cookies);
  }
}
