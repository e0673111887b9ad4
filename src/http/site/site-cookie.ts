import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { Clock } from '../../ports/clock.port.js';
import { PageCookie } from '../pages/page-cookie.js';

/**
 * The session cookie of a site's visitor on the site's own host. It is valid for that host alone, and over TLS its name
 * cannot be set by any other host of the domain (settled question Q-S33).
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

  /** Returns the token from a Cookie header. */
  in(cookies: string | undefined): string | undefined {
    return this.cookie.in(cookies);
  }

  /** Returns the Set-Cookie header, valid for as long as the session lasts. */
  of({ token, expiresAt }: { readonly token: string; readonly expiresAt: string }): string {
    const lastsSeconds = Math.max(0, Math.floor((Date.parse(expiresAt) - this.clock.now()) / 1_000));
    return this.cookie.of(token, lastsSeconds);
  }

  /** Returns the Set-Cookie header that removes the cookie. */
  none(): string {
    return this.cookie.none();
  }

  /** Returns a Cookie header without this cookie, which is what code may see, or undefined if nothing else is in it. */
  leftOf(cookies: string | undefined): string | undefined {
    return this.cookie.leftOf(cookies);
  }
}
