import { Injectable } from '@nestjs/common';
import { SignUp } from '../../../areas/app-users/sign-in/sign-up.api.js';
import { SocialSignIns } from '../../../areas/app-users/sign-in/social-sign-in.api.js';
import { inputOf } from '../../../engine/operation/validation.js';
import { refuse } from '../../http.refusals.js';
import { html } from '../../pages/html.js';
import { SignUpBody } from '../../visitor/auth-bodies.js';
import { customInput, customValuesOf } from './custom-inputs.js';
import { emailInput, formTo, inputField, linkList, passwordInput, wrongNote } from './form-fields.js';
import type { At, PageRedirect, PlatformPage, PlatformView } from './platform-page.js';
import { socialButtons, socialScript } from './social-buttons.js';

@Injectable()
export class SignUpPage implements PlatformPage {
  constructor(
    private readonly signUps: SignUp,
    private readonly social: SocialSignIns,
  ) {}

  show(at: At): PlatformView | PageRedirect {
    const { project, next, sent, wrong, user } = at;
    if (user !== undefined && wrong.length === 0) return { to: next };
    const name = {
      name: 'name',
      label: 'Name',
      type: 'text',
      autocomplete: 'name',
      value: sent.get('name') ?? '',
    } as const;
    const fields = [
      emailInput(at),
      passwordInput('new'),
      inputField(name),
      ...project.authCustomFields.map((field) => customInput(field, sent)),
    ];
    const content = html`<h1>Sign up</h1>
${wrongNote(at)}
${
  project.authAllowSignup
    ? html`${formTo(at, fields, 'Sign up')}
${socialButtons(this.social.providersOf(project), next)}`
    : html`<p>This site does not accept new users at present.</p>`
}
${linkList([[at.links.login, 'Already have an account? Sign in']])}`;
    return { title: 'Sign up', content, script: socialScript };
  }

  async send(at: At): Promise<PlatformView | PageRedirect> {
    const { project, sent, address, next } = at;
    // Checked first, because errors in the fields would be of no use if sign-ups are switched off.
    if (!project.authAllowSignup) refuse('sign-up-off');
    const customFields = customValuesOf(project.authCustomFields, sent);
    const body = inputOf(SignUpBody, {
      email: sent.get('email') ?? '',
      password: sent.get('password') ?? '',
      ...(sent.get('name') ? { name: sent.get('name') } : {}),
      ...(Object.keys(customFields).length === 0 ? {} : { customFields }),
    });
    const { session } = await this.signUps.signUp(at.call('site/signUp'), project, { ...body, address });
    if (session !== undefined) return { to: next, session };
    const content = html`<h1>Check your mail</h1>
<p>We have sent you a link. Open it to verify your email address, and then sign in.</p>
${linkList([[at.links.login, 'Sign in']])}`;
    return { title: 'Check your mail', content };
  }
}
