import { Injectable } from '@nestjs/common';
import { LogIn } from '../../../areas/app-users/sign-in/log-in.api.js';
import { SocialSignIns } from '../../../areas/app-users/sign-in/social-sign-in.api.js';
import { inputOf } from '../../../engine/operation/validation.js';
import { html } from '../../pages/html.js';
import { LogInBody } from '../../visitor/auth-bodies.js';
import { emailInput, formTo, linkList, passwordInput, wrongNote } from './form-fields.js';
import type { At, PageRedirect, PlatformPage, PlatformView } from './platform-page.js';
import { socialButtons, socialScript } from './social-buttons.js';

@Injectable()
export class LoginPage implements PlatformPage {
  constructor(
    private readonly logIns: LogIn,
    private readonly social: SocialSignIns,
  ) {}

  show(at: At): PlatformView | PageRedirect {
    if (at.user !== undefined && at.wrong.length === 0) return { to: at.next };
    const { signup, forgotPassword } = at.links;
    const content = html`<h1>Sign in</h1>
${wrongNote(at)}
${formTo(at, [emailInput(at), passwordInput('current')], 'Sign in')}
${socialButtons(this.social.providersOf(at.project), at.next)}
${linkList([
  [forgotPassword, 'Forgot your password?'],
  [signup, 'Sign up'],
])}`;
    return { title: 'Sign in', content, script: socialScript };
  }

  async send(at: At): Promise<PageRedirect> {
    const body = inputOf(LogInBody, { email: at.sent.get('email') ?? '', password: at.sent.get('password') ?? '' });
    const { session } = await this.logIns.logIn(at.call('site/logIn'), at.project, { ...body, address: at.address });
    return { to: at.next, session };
  }
}
