import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { Clock } from '../../ports/clock.port.js';
import { PageCookie } from '../pages/page-cookie.js';

/**
 * Over TLS, the name has the prefix `__Host-`, so other hosts of the same domain cannot set the cookie (settled
 * question Q-S33).
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

  tokenIn(cookies: string | undefined): string | undefined {
    return this.cookie.tokenIn(cookies);
  }

  headerFor({ token, expiresAt }: { readonly token: string; readonly expiresAt: string }): string {
    const lastsSeconds = Math.max(0, Math.floor((Date.parse(expiresAt) - this.clock.now()) / 1_000));
    return this.cookie.headerFor(token, lastsSeconds);
  }

  none(): string {
    return this.cookie.none();
  }
}
