import { Controller, Get, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Environment } from '../../config/environment.js';
import { Refusal, refuse } from '../../kernel/refusal.js';
import { problemOf } from '../problem.js';
import { type Frame, goTo, sendPage } from './layout.js';
import { PageProblemFilter } from './page-problem.filter.js';
import { addressOf, formOf, mustComeFromHere, nextPage, type PageRequest, rootOf } from './page-request.js';
import { type PageSession, PageSessions } from './page-sessions.js';
import { SignInLimit } from './sign-in-limit.js';
import { signInPage } from './sign-in-page.js';
import { SignedInPages } from './signed-in.js';

@UseFilters(PageProblemFilter)
@Controller('approvals')
export class SignInController {
  private readonly frame: Frame;

  constructor(
    private readonly environment: Environment,
    private readonly sessions: PageSessions,
    private readonly limit: SignInLimit,
    private readonly pages: SignedInPages,
  ) {
    this.frame = { root: rootOf(environment) };
  }

  @Get('sign-in')
  async ask(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    const next = nextPage(String(request.query['next'] ?? ''));
    if (await this.sessions.find(request.headers.cookie)) goTo(reply, this.frame, next);
    else sendPage(reply, 200, this.frame, signInPage(this.frame, next));
  }

  @Post('sign-in')
  async signIn(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    mustComeFromHere(request, this.environment);
    const fields = formOf(request);
    const next = nextPage(fields.get('next'));
    try {
      const session = await this.begin(request, fields.get('key')?.trim() ?? '');
      await this.sessions.end(request.headers.cookie);
      reply.header('Set-Cookie', this.sessions.cookieOf(session));
      goTo(reply, this.frame, next);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, headers } = problemOf(error, request.id);
      if (headers['Retry-After'] !== undefined) reply.header('Retry-After', headers['Retry-After']);
      sendPage(reply, status, this.frame, signInPage(this.frame, next, error.message));
    }
  }

  @Post('sign-out')
  async signOut(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = await this.pages.form(request, reply, '/approvals');
    if (form === undefined) return;
    await this.sessions.end(request.headers.cookie);
    reply.header('Set-Cookie', this.sessions.noCookie());
    goTo(reply, this.frame, '/approvals/sign-in');
  }

  /** Who reloads the page that came after a form. */
  @Get('sign-out')
  inbox(@Res() reply: FastifyReply): void {
    goTo(reply, this.frame, '/approvals');
  }

  private async begin(request: PageRequest, key: string): Promise<PageSession> {
    const address = addressOf(request, this.environment);
    this.limit.mayTry(address);
    const session = (await this.sessions.begin(key)) ?? refuse('sign-in-failed');
    this.limit.forgive(address);
    return session;
  }
}
