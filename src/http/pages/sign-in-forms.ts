import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { sameText } from '../../kernel/same-text.js';
import { Ids } from '../../ports/ids.port.js';
import { Vault } from '../../ports/vault.port.js';
import { PageCookie } from './page-cookie.js';

/** What the sign-in page needs. */
export interface SignInForm {
  readonly formToken: string;
  /** Set-Cookie, if the browser does not have the cookie yet. */
  readonly cookie?: string;
}

/**
 * A sign-in form works only in the browser it was sent to: its token is derived from a cookie of that browser. Otherwise
 * another site could sign a browser in with the site's own key and see what is done there.
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

  /** The Set-Cookie header after a sign-in. */
  noCookie(): string {
    return this.cookie.none();
  }

  private tokenOf(held: string): string {
    return this.vault.derive(`sign-in-form/${held}`);
  }
}
