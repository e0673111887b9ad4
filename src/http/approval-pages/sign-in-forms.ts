import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { Ids } from '../../ports/ids.port.js';
import { Vault } from '../../ports/vault.port.js';
import { sameText } from '../same-text.js';
import { PageCookie } from './page-cookie.js';

/** What a page to sign in is sent with. */
export interface SignInForm {
  readonly formToken: string;
  /** Set-Cookie, where the browser has none yet. */
  readonly cookie?: string;
}

/**
 * A form to sign in works only in the browser that it was sent to: its token is made from a cookie of that browser.
 * Without that, another site could sign a browser in with a key of its own, and see what is then done there.
 */
@Injectable()
export class SignInForms {
  private readonly cookie: PageCookie;

  constructor(
    private readonly vault: Vault,
    private readonly ids: Ids,
    environment: Environment,
  ) {
    this.cookie = new PageCookie(environment, { name: 'countersign-form', sameSite: 'Strict' });
  }

  /** For a browser with this Cookie header. */
  make(cookies: string | undefined): SignInForm {
    const held = this.cookie.in(cookies);
    if (held !== undefined) return { formToken: this.tokenOf(held) };
    const fresh = this.ids.token();
    return { formToken: this.tokenOf(fresh), cookie: this.cookie.of(fresh) };
  }

  isOf(cookies: string | undefined, sent: string): boolean {
    const held = this.cookie.in(cookies);
    return held !== undefined && sameText(this.tokenOf(held), sent);
  }

  /** Set-Cookie for whoever has signed in. */
  noCookie(): string {
    return this.cookie.none();
  }

  private tokenOf(held: string): string {
    return this.vault.derive(`sign-in-form/${held}`);
  }
}
