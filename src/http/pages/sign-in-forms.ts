import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { Ids } from '../../ports/ids.port.js';
import { Vault } from '../../ports/vault.port.js';
import { BrowserForms } from './browser-forms.js';
import { PageCookie } from './page-cookie.js';

/**
 * A form works only in the browser that requested it. Otherwise, another site could sign the person in with its own
 * key, and see what they do.
 */
@Injectable()
export class SignInForms extends BrowserForms {
  constructor(vault: Vault, ids: Ids, environment: Environment) {
    super(vault, ids, new PageCookie(environment, { name: 'countersign-form', sameSite: 'Strict' }), 'sign-in-form');
  }
}
