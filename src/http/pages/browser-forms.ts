import { equalInConstantTime } from '../../kernel/text/same-text.js';
import type { Ids } from '../../ports/ids.port.js';
import type { Vault } from '../../ports/vault.port.js';
import type { PageCookie } from './page-cookie.js';

export interface BrowserForm {
  readonly formToken: string;
  /** Set-Cookie header, if the browser does not have the cookie yet. */
  readonly cookie?: string;
}

/**
 * Forms that work only in the browser to which they were sent, because their token is derived from a cookie of that
 * browser.
 */
export class BrowserForms {
  constructor(
    private readonly vault: Vault,
    private readonly ids: Ids,
    private readonly cookie: PageCookie,
    /** Purpose of the forms. A token for one purpose is not valid for another. */
    private readonly purpose: string,
  ) {}

  /** Makes a form for the browser that sent this Cookie header. */
  make(cookies: string | undefined): BrowserForm {
    const held = this.cookie.in(cookies);
    if (held !== undefined) return { formToken: this.tokenOf(held) };
    const fresh = this.ids.token();
    return { formToken: this.tokenOf(fresh), cookie: this.cookie.of(fresh) };
  }

  isOf(cookies: string | undefined, sent: string): boolean {
    const held = this.cookie.in(cookies);
    return held !== undefined && equalInConstantTime(this.tokenOf(held), sent);
  }

  /** Returns the Set-Cookie header that removes the cookie after a sign-in. */
  noCookie(): string {
    return this.cookie.none();
  }

  private tokenOf(held: string): string {
    return this.vault.derive(`${this.purpose}/${held}`);
  }
}
