import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import { Ids } from '../../../ports/ids.port.js';
import { Vault } from '../../../ports/vault.port.js';
import { BrowserForms } from '../../pages/browser-forms.js';
import { PageCookie } from '../../pages/page-cookie.js';

/**
 * A form works only in the browser that requested it. Otherwise, another site could sign a visitor in to an account
 * that is not theirs. The cookie is `Lax`, so browsers also send it when they follow a link in a mail.
 */
@Injectable()
export class PlatformForms extends BrowserForms {
  constructor(vault: Vault, ids: Ids, environment: Environment) {
    super(vault, ids, new PageCookie(environment, { name: 'site-form', sameSite: 'Lax' }), 'site-form');
  }
}
