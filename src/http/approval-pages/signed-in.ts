import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Environment } from '../../config/environment.js';
import { refuse } from '../../kernel/refusal.js';
import { ApprovalsReading } from './approvals-reading.js';
import { type Frame, goTo } from './layout.js';
import { formOf, mustComeFromHere, type PageRequest, rootOf } from './page-request.js';
import { type PageSession, PageSessions } from './page-sessions.js';

export interface SignedIn {
  readonly session: PageSession;
  readonly frame: Frame;
}

/** The way to every page but the one to sign in. */
@Injectable()
export class SignedInPages {
  private readonly root: string;

  constructor(
    private readonly sessions: PageSessions,
    private readonly reading: ApprovalsReading,
    private readonly environment: Environment,
  ) {
    this.root = rootOf(environment);
  }

  /** Whoever is not signed in is led through that first, and then to the page `back`. */
  async page(request: PageRequest, reply: FastifyReply, back: string): Promise<SignedIn | undefined> {
    const session = await this.sessions.find(request.headers.cookie);
    if (session === undefined) {
      goTo(reply, { root: this.root }, `/approvals/sign-in?next=${encodeURIComponent(back)}`);
      return undefined;
    }
    return {
      session,
      frame: { root: this.root, session, workspace: await this.reading.workspaceName(session.caller) },
    };
  }

  /** For what changes something: only a form of this very session gets through. @throws Refusal */
  async form(request: PageRequest, reply: FastifyReply, back: string) {
    mustComeFromHere(request, this.environment);
    const signedIn = await this.page(request, reply, back);
    if (signedIn === undefined) return undefined;
    const fields = formOf(request);
    if (!this.sessions.isFormOf(signedIn.session, fields.get('token') ?? '')) refuse('form-from-elsewhere');
    return { ...signedIn, fields };
  }
}
