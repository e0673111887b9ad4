import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import { Ids } from '../../../ports/ids.port.js';
import { Vault } from '../../../ports/vault.port.js';
import { BrowserForms } from '../../pages/browser-forms.js';
import { PageCookie } from '../../pages/page-cookie.js';

/**
 * Forms bound to the browser, so that another site cannot sign a visitor in as someone else. With `Lax`, the browser
 * also sends the cookie when it follows a mailed link.
 */
@Injectable()
export class PlatformForms extends BrowserForms {
  constructor(vault: Vault, ids: Ids, environment: Environment) {
    super(vault, ids, new PageCookie(environment, { name: 'site-form', sameSite: 'Lax' }), 'site-form');
  }
}
