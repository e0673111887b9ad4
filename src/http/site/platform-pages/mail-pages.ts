import { Injectable } from '@nestjs/common';
import { SignInMail } from '../../../areas/app-users/sign-in/sign-in-mail.api.js';
import { TokenUse } from '../../../areas/app-users/sign-in/token-use.api.js';
import { inputOf } from '../../../engine/operation/validation.js';
import { type Html, html } from '../../pages/html.js';
import { EmailBody, ResetBody, TokenBody } from '../../visitor/auth-bodies.js';
import { emailInput, formTo, linkList, passwordInput, wrongNote } from './form-fields.js';
import type { At, PlatformPage, PlatformView } from './platform-page.js';

const tokenOf = ({ sent }: At): string => sent.get('mailed') ?? sent.get('token') ?? '';
const mailed = (at: At): Html => html`<input type="hidden" name="mailed" value="${tokenOf(at)}">`;

const messageView = (title: string, sentence: string, more?: Html): PlatformView => ({
  title,
  content: html`<h1>${title}</h1>\n<p>${sentence}</p>\n${more}`,
});

@Injectable()
export class ForgotPasswordPage implements PlatformPage {
  constructor(private readonly mail: SignInMail) {}

  show(at: At): PlatformView {
    const content = html`<h1>Set a new password</h1>
<p>Enter the email address you signed up with. We will send a link for setting a new password to it.</p>
${wrongNote(at)}
${formTo(at, [emailInput(at)], 'Send the link')}
${linkList([[at.links.login, 'Sign in']])}`;
    return { title: 'Set a new password', content };
  }

  async send(at: At): Promise<PlatformView> {
    const { email } = inputOf(EmailBody, { email: at.sent.get('email') ?? '' });
    await this.mail.askedToReset(at.project, email);
    const sentence =
      'If there is an account with this email address, we have sent a link for setting a new password to it.';
    return messageView('Check your mail', sentence, linkList([[at.links.login, 'Sign in']]));
  }
}

@Injectable()
export class ResetPasswordPage implements PlatformPage {
  constructor(private readonly tokens: TokenUse) {}

  show(at: At): PlatformView {
    const again = linkList([[at.links.forgotPassword, 'Send another link']]);
    if (tokenOf(at) === '') {
      return messageView('Set a new password', 'Open the link in the mail that was sent to you.', again);
    }
    const content = html`<h1>Set a new password</h1>
${wrongNote(at)}
${formTo(at, [mailed(at), passwordInput('new')], 'Set the password')}
${at.wrong.length > 0 && again}`;
    return { title: 'Set a new password', content };
  }

  async send(at: At): Promise<PlatformView> {
    const { token, password } = inputOf(ResetBody, { token: tokenOf(at), password: at.sent.get('password') ?? '' });
    await this.tokens.resetPassword(at.call('site/resetPassword'), at.project, token, password);
    const sentence = 'The new password is now in use, and you have been signed out everywhere.';
    return messageView('Your new password is set', sentence, linkList([[at.links.login, 'Sign in']]));
  }
}

/** Opening the link must not verify the address, because mail scanners follow links. So the page shows a button. */
@Injectable()
export class VerifyEmailPage implements PlatformPage {
  constructor(
    private readonly tokens: TokenUse,
    private readonly mail: SignInMail,
  ) {}

  show(at: At): PlatformView {
    const asks = at.sent.has('email') || tokenOf(at) === '';
    const content = html`<h1>Verify your email</h1>
${wrongNote(at)}
${
  asks || at.wrong.length > 0
    ? html`<p>Enter the email address you signed up with. We will send the verification link to it again.</p>
${formTo(at, [emailInput(at)], 'Send the link')}`
    : formTo(at, [mailed(at)], 'Verify my email')
}`;
    return { title: 'Verify your email', content };
  }

  async send(at: At): Promise<PlatformView> {
    const signIn = linkList([[at.links.login, 'Sign in']]);
    const email = at.sent.get('email');
    if (email !== null) {
      await this.mail.askedToVerify(at.project, inputOf(EmailBody, { email }).email);
      return messageView(
        'Check your mail',
        'If this email address still has to be verified, we have sent the link to it.',
        signIn,
      );
    }
    const { token } = inputOf(TokenBody, { token: tokenOf(at) });
    await this.tokens.verifyEmail(at.call('site/verifyEmail'), at.project, token);
    return messageView('Your email is verified', 'You can now sign in.', signIn);
  }
}
