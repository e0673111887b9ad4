import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Environment } from '../../config/environment.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { Clock } from '../../ports/clock.port.js';
import { addressOf } from '../entrance/address-of.js';
import { Through } from '../entrance/door.js';
import { WrongTries } from '../entrance/wrong-tries.js';
import { refuse } from '../http.refusals.js';
import { problemOf } from '../problem.js';
import { FormDoor, SignInDoor } from './form-doors.js';
import { goTo, type PageFrame, sendPage } from './layout.js';
import { formOf, nextPage, type PageRequest, rootOf } from './page-request.js';
import { type PageSession, PageSessions } from './page-sessions.js';
import { SignInForms } from './sign-in-forms.js';
import { signInPage } from './sign-in-page.js';
import { SignedInPages } from './signed-in.js';

/** Maximum number of wrong keys per address within `withinMs`. It is low, because people enter these keys by hand. */
const wrongAtMost = 10;
const withinMs = 5 * 60_000;

@Controller('approvals')
export class SignInController {
  private readonly frame: PageFrame;
  private readonly tries: WrongTries;

  constructor(
    private readonly environment: Environment,
    private readonly sessions: PageSessions,
    private readonly forms: SignInForms,
    private readonly pages: SignedInPages,
    clock: Clock,
  ) {
    this.tries = new WrongTries(wrongAtMost, withinMs, clock, (seconds) =>
      refuse('sign-in-limited', { seconds }, { retryAfterSeconds: seconds }),
    );
    this.frame = { root: rootOf(environment) };
  }

  @Get('sign-in')
  async ask(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    const next = nextPage(String(request.query['next'] ?? ''));
    if (await this.sessions.find(request.headers.cookie)) goTo(reply, this.frame, next);
    else this.show(request, reply, 200, next);
  }

  @Post('sign-in')
  @Through(SignInDoor)
  async signIn(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    const fields = formOf(request);
    const next = nextPage(fields.get('next'));
    try {
      if (!this.forms.isOf(request.headers.cookie, fields.get('token') ?? '')) refuse('form-from-elsewhere');
      const session = await this.begin(request, fields.get('key')?.trim() ?? '');
      await this.sessions.revoke(request.headers.cookie);
      reply.header('Set-Cookie', [this.sessions.cookieOf(session), this.forms.noCookie()]);
      goTo(reply, this.frame, next);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, headers } = problemOf(error, request.id);
      if (headers['Retry-After'] !== undefined) reply.header('Retry-After', headers['Retry-After']);
      this.show(request, reply, status, next, error.message);
    }
  }

  @Post('sign-out')
  @Through(FormDoor)
  async signOut(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = await this.pages.form(request, reply, '/approvals');
    if (form === undefined) return;
    await this.sessions.revoke(request.headers.cookie);
    reply.header('Set-Cookie', this.sessions.noCookie());
    goTo(reply, this.frame, '/approvals/sign-in');
  }

  /** Browsers send a GET request to this address when the page after a sign-out is reloaded. */
  @Get('sign-out')
  inbox(@Res() reply: FastifyReply): void {
    goTo(reply, this.frame, '/approvals');
  }

  private show({ headers }: PageRequest, reply: FastifyReply, status: number, next: string, wrong?: string): void {
    const form = this.forms.issue(headers.cookie);
    if (form.cookie !== undefined) reply.header('Set-Cookie', form.cookie);
    sendPage(reply, status, this.frame, signInPage(this.frame, form, next, wrong));
  }

  private async begin(request: PageRequest, key: string): Promise<PageSession> {
    const address = addressOf(request, this.environment);
    return (await this.tries.judge(address, key, () => this.sessions.begin(key))) ?? refuse('sign-in-failed');
  }
}
