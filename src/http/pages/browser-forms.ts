import { sameText } from '../../kernel/text/same-text.js';
import type { Ids } from '../../ports/ids.port.js';
import type { Vault } from '../../ports/vault.port.js';
import type { PageCookie } from './page-cookie.js';

/** What a form needs. */
export interface BrowserForm {
  readonly formToken: string;
  /** Set-Cookie, if the browser does not have the cookie yet. */
  readonly cookie?: string;
}

/** Forms that work only in the browser they were sent to: their token is derived from a cookie of that browser. */
export class BrowserForms {
  constructor(
    private readonly vault: Vault,
    private readonly ids: Ids,
    private readonly cookie: PageCookie,
    /** Forms of one purpose are none of another. */
    private readonly purpose: string,
  ) {}

  /** For a browser with this Cookie header. */
  make(cookies: string | undefined): BrowserForm {
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
    return this.vault.derive(`${this.purpose}/${held}`);
  }
}
