import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Environment } from '../../config/environment.js';
import { PersonalData } from '../../engine/personal-data/personal-data.js';
import { Callers } from '../entrance/callers.js';
import { refuse } from '../http.refusals.js';
import { ApprovalsReading } from './approvals/approvals-reading.js';
import { FormDoor } from './form-doors.js';
import { goTo, type PageFrame } from './layout.js';
import { formOf, type PageRequest, rootOf } from './page-request.js';
import { type PageSession, PageSessions } from './page-sessions.js';

export interface SignedInMember {
  readonly session: PageSession;
  readonly frame: PageFrame;
}

@Injectable()
export class SignedInPages {
  private readonly root: string;

  constructor(
    private readonly sessions: PageSessions,
    private readonly reading: ApprovalsReading,
    private readonly door: FormDoor,
    private readonly callers: Callers,
    private readonly personal: PersonalData,
    environment: Environment,
  ) {
    this.root = rootOf(environment);
  }

  /** Without a session, redirects to the sign-in page, which leads to `back`, and returns undefined. */
  async page(request: PageRequest, reply: FastifyReply, back: string): Promise<SignedInMember | undefined> {
    const session = await this.sessions.find(request.headers.cookie);
    if (session !== undefined) this.callers.mayCall(session.caller);
    return this.as(session, reply, back);
  }

  /**
   * Without a session, redirects to the sign-in page and returns undefined.
   * @throws Refusal form-from-elsewhere if the form belongs to another session
   */
  async form(request: PageRequest, reply: FastifyReply, back: string) {
    const signedIn = await this.as(this.door.admittedOf(request).session, reply, back);
    if (signedIn === undefined) return undefined;
    const fields = formOf(request);
    if (!this.sessions.isFormOf(signedIn.session, fields.get('token') ?? '')) refuse('form-from-elsewhere');
    return { ...signedIn, fields };
  }

  private async as(
    session: PageSession | undefined,
    reply: FastifyReply,
    back: string,
  ): Promise<SignedInMember | undefined> {
    if (session === undefined) {
      goTo(reply, { root: this.root }, `/approvals/sign-in?next=${encodeURIComponent(back)}`);
      return undefined;
    }
    const { caller } = session;
    const workspace = await this.reading.workspaceName(caller);
    const name = await this.personal.opened(caller.workspaceId, caller.name);
    return { session, frame: { root: this.root, session: { ...session, caller: { ...caller, name } }, workspace } };
  }
}
