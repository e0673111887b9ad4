import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import { Ids } from '../../../ports/ids.port.js';
import { Vault } from '../../../ports/vault.port.js';
import { BrowserForms } from '../../pages/browser-forms.js';
import { PageCookie } from '../../pages/page-cookie.js';

/** Another site must not sign a visitor in as somebody else. Lax: mailed links keep what the browser holds. */
@Injectable()
export class PlatformForms extends BrowserForms {
  constructor(vault: Vault, ids: Ids, environment: Environment) {
    super(vault, ids, new PageCookie(environment, { name: 'site-form', sameSite: 'Lax' }), 'site-form');
  }
}
