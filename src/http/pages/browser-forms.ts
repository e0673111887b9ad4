import { equalInConstantTime } from '../../kernel/text/same-text.js';
import type { Ids } from '../../ports/ids.port.js';
import type { Vault } from '../../ports/vault.port.js';
import type { PageCookie } from './page-cookie.js';

export interface BrowserForm {
  readonly formToken: string;
  readonly cookie?: string;
}

/** Form tokens are derived from a cookie, so a form is accepted only from the browser that it was sent to. */
export class BrowserForms {
  constructor(
    private readonly vault: Vault,
    private readonly ids: Ids,
    private readonly cookie: PageCookie,
    /** A token for one purpose is not valid for another. */
    private readonly purpose: string,
  ) {}

  issue(cookies: string | undefined): BrowserForm {
    const token = this.cookie.tokenIn(cookies);
    if (token !== undefined) return { formToken: this.tokenOf(token) };
    const fresh = this.ids.token();
    return { formToken: this.tokenOf(fresh), cookie: this.cookie.headerFor(fresh) };
  }

  isOf(cookies: string | undefined, sent: string): boolean {
    const token = this.cookie.tokenIn(cookies);
    return token !== undefined && equalInConstantTime(this.tokenOf(token), sent);
  }

  noCookie(): string {
    return this.cookie.none();
  }

  private tokenOf(token: string): string {
    return this.vault.derive(`${this.purpose}/${token}`);
  }
}
