import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { Ids } from '../../ports/ids.port.js';
import { Vault } from '../../ports/vault.port.js';
import { BrowserForms } from './browser-forms.js';
import { PageCookie } from './page-cookie.js';

/**
 * Sign-in forms, bound to the browser. Otherwise another site could sign a browser in with that site's own key and see
 * what is done there.
 */
@Injectable()
export class SignInForms extends BrowserForms {
  constructor(vault: Vault, ids: Ids, environment: Environment) {
    super(vault, ids, new PageCookie(environment, { name: 'countersign-form', sameSite: 'Strict' }), 'sign-in-form');
  }
}
