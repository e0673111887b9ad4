import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../../config/environment.js';
import { addressOf } from '../entrance/address-of.js';
import { Callers } from '../entrance/callers.js';
import { type Admission, type BodyShare, Door } from '../entrance/door.js';
import { mustBeForm, mustComeFromHere } from './page-request.js';
import { type PageSession, PageSessions } from './page-sessions.js';

/** Size limit of a form, in bytes. The largest form contains a reason and some tokens. */
const formLimit = 64 * 1024;

@Injectable()
export class SignInDoor extends Door {
  constructor(private readonly environment: Environment) {
    super();
  }

  protected override async judge(request: FastifyRequest): Promise<Admission> {
    mustComeFromHere(request, this.environment);
    mustBeForm(request);
    return { share: strangerAt(request, this.environment), limit: formLimit };
  }
}

interface SentForm extends Admission {
  readonly session: PageSession | undefined;
}

/**
 * A form of a sender who is not signed in is admitted too, so that the route can redirect the sender to the sign-in
 * page.
 */
@Injectable()
export class FormDoor extends Door<SentForm> {
  constructor(
    private readonly environment: Environment,
    private readonly sessions: PageSessions,
    private readonly callers: Callers,
  ) {
    super();
  }

  protected override async judge(request: FastifyRequest): Promise<SentForm> {
    mustComeFromHere(request, this.environment);
    const session = await this.sessions.find(request.headers.cookie);
    if (session !== undefined) {
      mustBeForm(request);
      this.callers.mayCall(session.caller);
    }
    const share =
      session === undefined
        ? strangerAt(request, this.environment)
        : ({ of: 'caller', name: session.caller.workspaceId } as const);
    return { session, share, limit: formLimit };
  }
}

const strangerAt = (request: FastifyRequest, environment: Environment): BodyShare => ({
  of: 'stranger',
  name: addressOf(request, environment),
});
